"""Races of the operator's console end in the specified response."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection, transaction

from agents.models import AgentToken, OperatorClaim, OperatorKey
from agents.tokens import mint_key
from installs.models import SkillInstall
from marketplace.models import RateCount
from tests.factories import (
    AgentFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    ask_for_code,
    claim,
)
from tests.system.races import (
    ME,
    ROUNDS,
    confirming,
    in_parallel,
    rounds,
    statuses,
    wait_for,
)
from tests.system.staff import Browser

INSTALL = f"{ME}/skills/install"
MAX_KEYS = 5  # per address


class ConsoleBrowser(Browser):
    """The console of a key, which submits forms that were opened before."""

    def __init__(self, server, key):
        super().__init__(server)
        page = self.submit("/operator", key=key)
        assert (page.status, page.headers["Location"]) == (302, "/operator")

    def sending(self, agent, action, subject="", **fields):
        """A call that submits the form of an action, which is opened now."""
        path = f"/operator/agents/{agent.handle}/{action}" + (f"/{subject}" if subject else "")
        page = self.get(path)
        assert page.status == 200, (path, page)
        return partial(self.post, path, self.form(page) | fields)


def is_done(page):
    """Whether the console did it. After losing the agent it says 404, or requests a key."""
    assert page.status in {200, 302, 404}, page
    return page.status == 200 or (page.status == 302 and "?agent=" not in page.headers["Location"])


def agree(page, note, notes):
    """Whether an action that was done is recorded; resuming an active agent is not an event."""
    is_noted = any(text.startswith(note) for text in notes)
    return is_noted == is_done(page) or (note == "Resumed." and not is_noted)


def everything_else(server, key, agent):
    """Calls for every action but a release, `{text in the history: call}`."""
    console, other = ConsoleBrowser(server, key), AgentToken.objects.issue(agent)
    skill, persona = (
        SkillInstallFactory(agent=agent).skill,
        PersonaInstallFactory(agent=agent).persona,
    )
    return {
        "Paused.": console.sending(agent, "pause"),
        "Resumed.": console.sending(agent, "resume"),
        "Set the limits: installs 1.": console.sending(agent, "limits", install="1"),
        "Replaced the claim URL.": console.sending(agent, "new-claim-url"),
        "Issued the token": console.sending(agent, "issue-token"),
        f"Revoked the token {other.hint}.": console.sending(agent, "revoke-token", other.public_id),
        "Revoked every token.": console.sending(agent, "revoke-tokens"),
        f"Pinned version 1 of the skill {skill.slug}.": console.sending(
            agent, "pin-skill", skill.slug, version="1"
        ),
        f"Updated to version 1 of the persona {persona.slug}.": console.sending(
            agent, "update-persona", persona.slug
        ),
        f"Removed the skill {skill.slug}.": console.sending(agent, "remove-skill", skill.slug),
        f"Removed the persona {persona.slug}.": console.sending(
            agent, "remove-persona", persona.slug
        ),
    }


def operated_agent(number):
    """A claimed agent and its key, which in every other round another agent also has."""
    agent = AgentFactory()
    key = claim(agent)
    if number % 2:
        claim(AgentFactory(), key=key)
    return agent, key


@pytest.mark.contract("19.15")
def test_an_action_is_done_before_a_release_or_never(server):
    for number in range(ROUNDS):
        agent, key = operated_agent(number)
        calls = everything_else(server, key, agent)
        release = ConsoleBrowser(server, key).sending(agent, "release")
        noted = [*calls]
        random.shuffle(noted)

        released, *pages = in_parallel([release, *(calls[note] for note in noted)])

        notes = [snapshot.history_change_reason for snapshot in agent.history.order_by("pk")]
        done = notes[: notes.index("Released the claim.")]
        assert is_done(released)
        assert notes[-1] == "Released the claim."
        for note, page in zip(noted, pages, strict=True):
            # If two revoke one token, the second does not find it.
            assert agree(page, note, done), (note, notes)
        agent.refresh_from_db()
        assert (agent.paused_at, agent.limits) == (None, {})
        assert OperatorKey.objects.get(hint__endswith=key[-4:]).claims.count() == number % 2


@pytest.mark.contract("19.15")
def test_an_action_is_done_before_the_agent_is_claimed_anew_or_never(server):
    for number in range(ROUNDS):
        agent, key = operated_agent(number)
        calls = everything_else(server, key, agent)
        confirm = confirming(server, agent, ask_for_code(agent, name="Grace Hopper"))
        noted = [*calls]
        random.shuffle(noted)

        confirmed, *pages = in_parallel([confirm, *(calls[note] for note in noted)])

        events = agent.history.exclude(operator="").order_by("pk")
        history = [
            event for event in events if not event.history_change_reason.startswith("Claimed")
        ]
        notes = [snapshot.history_change_reason for snapshot in history]
        for note, page in zip(noted, pages, strict=True):
            assert agree(page, note, notes), (note, notes)
        current = OperatorClaim.objects.get(agent=agent)
        # Refused if the agent was paused or lost its token before, or if the code was void.
        assert confirmed.status in {200, 401, 409}
        assert current.operator_name == (
            "Grace Hopper" if confirmed.status == 200 else "Ada Lovelace"
        )
        if confirmed.status == 200:
            assert all(snapshot.history_date < current.claimed_at for snapshot in history)
        else:
            assert all(is_done(page) for page in pages if page.status != 404)


@pytest.mark.contract("19.13")
@pytest.mark.parametrize("is_shared", [False, True], ids=["all of them", "all but one"])
def test_a_key_ends_when_the_last_of_its_agents_leaves_it_at_the_same_time(server, is_shared):
    for _ in range(ROUNDS):
        agents, key = AgentFactory.create_batch(4 + is_shared), mint_key()
        for agent in agents:
            claim(agent, key=key)
        released, anew = agents[:2], agents[2:4]
        console = ConsoleBrowser(server, key)
        calls = [console.sending(agent, "release") for agent in released]
        calls += [confirming(server, agent, ask_for_code(agent)) for agent in anew]

        pages = in_parallel(calls)

        kept = OperatorKey.objects.get(hint__endswith=key[-4:])
        assert [page.status for page in pages] == [302, 302, 200, 200]
        assert (kept.revoked_at is None) == is_shared
        assert kept.claims.count() == is_shared
        assert Browser(server).submit("/operator", key=key).status == (302 if is_shared else 400)


@pytest.mark.contract("4.11", "19.9")
def test_nothing_is_installed_after_a_pause(server, concurrently):
    skills = SkillFactory.create_batch(32)
    for _ in range(ROUNDS):
        agent = AgentFactory()
        pause = ConsoleBrowser(server, claim(agent)).sending(agent, "pause")
        installs = [("POST", INSTALL, {"slug": skill.slug}, agent) for skill in skills]

        with ThreadPoolExecutor(1) as operator:
            pausing = operator.submit(pause_and_count, pause, agent)
            responses = concurrently(installs)
            installed_when_paused = pausing.result()

        assert set(statuses(responses)) <= {201, 401}
        assert statuses(responses)[201] == installed_when_paused == agent.skill_installs.count()
        assert statuses(concurrently(installs)) == {401: len(skills)}


@pytest.mark.contract("19.18")
def test_all_are_moved_while_they_are_published_and_installed(server):
    """No deadlock, and the number, the digest and the pin of each install agree."""
    for _ in range(ROUNDS):
        agent, other = AgentFactory(), AgentFactory()
        skills, fresh = SkillFactory.create_batch(12), SkillFactory.create_batch(6)
        for skill in skills:
            SkillInstall.objects.install(agent, skill.slug)
        console = ConsoleBrowser(server, claim(agent))
        moves = ["update-all", "pin-all", "unpin-all"] * 4
        calls = [console.sending(agent, action) for action in moves]
        for path, entries, caller in (
            *(("install", fresh, agent), ("install", skills, other)),
            *(("pin", skills[:6], agent), ("update", skills[6:], agent)),
        ):
            calls += [
                partial(
                    server.request,
                    *("POST", f"{ME}/skills/{path}", {"slug": entry.slug}),
                    token=caller.token.text,
                )
                for entry in entries
            ]
        random.shuffle(calls)

        with ThreadPoolExecutor(1) as staff:
            publishing = staff.submit(publish_anew, skills + fresh)
            tried = statuses(in_parallel(calls))
            publishing.result()

        assert tried == {302: len(moves), 201: 18, 200: 12}
        for install in SkillInstall.objects.filter(agent=agent).select_related("pinned"):
            version = install.skill.versions.get(number=install.number)
            assert install.installed_digest == version.digest
            assert install.pinned in {None, version}


def publish_anew(skills):
    """Give each another text twice, first one after the other and then all at once."""
    try:
        for skill in skills:
            skill.content = "Second."
            skill.save()
        with transaction.atomic():
            for skill in skills:
                skill.content = "Third."
                skill.save()
    finally:
        connection.close()


def test_no_more_than_five_keys_of_an_address_are_tried(live_server_of):
    server = live_server_of(WEB_CONCURRENCY="2", RATE_LIMIT_OPERATOR=f"{MAX_KEYS}/1000d")
    agent = AgentFactory()
    right, url = claim(agent), f"/claim/{AgentFactory().claim.secret}"
    for number, parallel in enumerate(rounds()):
        RateCount.objects.all().delete()
        # On the claim page, only wrong keys count.
        keys = [mint_key() if place % 4 else right for place in range(parallel)]
        paths = ["/operator", url if number % 2 else "/operator"] * (parallel // 2)
        fields = {"name": "Eve", "email": "eve@example.com"}
        calls = []
        for path, key in zip(paths, keys, strict=True):
            browser = Browser(server)  # a separate one, because logging in changes its CSRF token
            form = browser.form(browser.get(path)) | fields | {"key": key}
            calls.append(partial(browser.post, path, form))

        tried = statuses(in_parallel(calls))

        assert tried[302] + tried[400] == MAX_KEYS
        assert set(tried) <= {200, 302, 400, 429}


def pause_and_count(pause, agent):
    try:
        wait_for(agent.skill_installs.all())
        assert is_done(pause())
        return agent.skill_installs.count()
    finally:
        connection.close()
