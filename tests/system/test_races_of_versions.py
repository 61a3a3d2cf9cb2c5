"""Races of saving, publishing, installing and pinning leave no gap and no duplicate number."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from threading import Barrier, Event
from types import SimpleNamespace

import pytest
from django.db import connection

from catalogue.models import FileContent, Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.system.races import CONCURRENCY, LIMITS, ME, ROUNDS, rounds, statuses

pytestmark = pytest.mark.servers

SKILL = SimpleNamespace(path=f"{ME}/skills", make=SkillFactory, model=Skill, installs=SkillInstall)
PERSONA = SimpleNamespace(
    path=f"{ME}/personas", make=PersonaFactory, model=Persona, installs=PersonaInstall
)
both_kinds = pytest.mark.parametrize("kind", [SKILL, PERSONA], ids=["skill", "persona"])

FIRST, SECOND, THIRD = "Do it.", "Do it better.", "Do it best."
# The texts that two people save at once, and the possible numbers of versions afterwards.
SAVES = {
    "two texts": ((SECOND, THIRD), {3}),
    "one text": ((SECOND, SECOND), {2}),
    "the present text and another": ((FIRST, SECOND), {2, 3}),
    "the present text": ((FIRST, FIRST), {1}),
}
REWRITES = 4  # of `rewrite`


def save(entry, text):
    """Save only the text, as the staff admin and imports do."""
    entry.content = text
    entry.save(update_fields=["content", "updated_at"])


def publish(entry, _text):
    entry.publish()


def at_once(*calls):
    """Make calls that write, each on its own connection."""
    barrier = Barrier(len(calls))

    def make(call):
        try:
            barrier.wait()
            call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        assert [*pool.map(make, calls)] == [None] * len(calls)


def opened(kind, entry):
    return kind.model.objects.get(pk=entry.pk)


def assert_numbered(kind, entry):
    """The versions of an entry are its texts in turn; the last one is its current text."""
    current = opened(kind, entry)
    versions = [*entry.versions.order_by("number")]
    assert [version.number for version in versions] == [*range(1, len(versions) + 1)]
    assert all(one.digest != next_one.digest for one, next_one in pairwise(versions))
    assert current.number == len(versions)
    if current.is_published:
        assert (versions[-1].digest, versions[-1].content) == (current.digest, current.content)
    return versions


@pytest.mark.contract("25.1")
@both_kinds
@pytest.mark.parametrize("chosen", SAVES)
@pytest.mark.usefixtures("transactional_db")
def test_two_saves_at_once_never_make_one_number_twice(kind, chosen):
    texts, possible = SAVES[chosen]
    for _ in range(ROUNDS):
        entry = kind.make(content=FIRST)

        at_once(*(partial(save, opened(kind, entry), text) for text in texts))

        assert len(assert_numbered(kind, entry)) in possible


@both_kinds
@pytest.mark.usefixtures("transactional_db")
def test_a_text_that_is_saved_while_it_is_published_is_numbered_once(kind):
    for _ in range(ROUNDS):
        draft = kind.make(content=FIRST, status="draft")

        at_once(
            *(
                partial(write, opened(kind, draft), SECOND)
                for write in random.sample([publish, publish, save], 3)
            )
        )

        texts = [version.content for version in assert_numbered(kind, draft)]
        assert texts in ([SECOND], [FIRST, SECOND])


@both_kinds
@pytest.mark.usefixtures("transactional_db")
def test_a_text_that_several_entries_get_at_once_is_stored_once(kind):
    for number in range(ROUNDS):
        entries, text = kind.make.create_batch(8), f"Do it {number}."

        at_once(*(partial(save, opened(kind, entry), text) for entry in entries))

        for entry in entries:
            assert [version.content for version in assert_numbered(kind, entry)][1:] == [text]
        assert FileContent.objects.filter(data=text.encode()).count() == 1


@pytest.mark.contract("25.8")
@both_kinds
def test_installs_and_pins_during_saves_have_an_existing_version(concurrently, kind):
    """Whatever the response says, the install has the number and the digest of one version."""
    newcomers = AgentFactory.create_batch(max(CONCURRENCY))
    holders = AgentFactory.create_batch(max(CONCURRENCY))
    for parallel in rounds():
        entry = kind.make(content=FIRST)
        for agent in holders[:parallel]:
            kind.installs.objects.install(agent, entry.slug)
        requests = [
            (verb, {"slug": entry.slug, **random.choice([{}, {"version": random.randint(1, 3)}])})
            for verb in ["install", "pin", "update"] * (parallel // 3)
        ]
        agents = {"install": iter(newcomers), "pin": iter(holders), "update": iter(holders)}

        with ThreadPoolExecutor(1) as staff:
            saving = staff.submit(rewrite, kind, entry)
            responses = concurrently(
                [("POST", f"{kind.path}/{v}", body, next(agents[v])) for v, body in requests]
            )
            assert saving.result() is None

        versions = {version.number: version for version in assert_numbered(kind, entry)}
        assert len(versions) == 1 + REWRITES
        assert set(statuses(responses)) <= {200, 201, 404}
        for (verb, body), response in zip(requests, responses, strict=True):
            # A number that is being made may not exist yet; the others always do.
            assert response.status != 404 or body.get("version", 1) > 1
            if verb == "pin" and response.status == 200:
                pinned = response.json()
                assert versions[pinned["number"]].digest == pinned["digest"]
                assert body.get("version", pinned["number"]) == pinned["number"]
        for install in entry.agent_installs.select_related("pinned"):
            assert versions[install.number].digest == install.installed_digest
            assert install.pinned is None or install.pinned.number == install.number


def rewrite(kind, entry):
    """Save one text after the other, two of them by two people at once."""
    save(opened(kind, entry), SECOND)
    at_once(*(partial(save, opened(kind, entry), text) for text in (FIRST, THIRD)))
    save(opened(kind, entry), SECOND)
    connection.close()


@both_kinds
def test_one_install_is_pinned_unpinned_and_updated_in_turn(concurrently, kind):
    """The last completed save is stored."""
    agent = AgentFactory()
    for parallel in rounds():
        entry = kind.make(content=FIRST)
        kind.installs.objects.install(agent, entry.slug)
        save(opened(kind, entry), SECOND)
        bodies = {"pin": [{}, {"version": 1}, {"version": 2}], "unpin": [{}], "update": [{}]}
        verbs = [random.choice([*bodies]) for _ in range(parallel)]

        with ThreadPoolExecutor(1) as staff:
            saving = staff.submit(rewrite, kind, entry)
            responses = concurrently(
                [
                    (
                        *("POST", f"{kind.path}/{verb}"),
                        {"slug": entry.slug, **random.choice(bodies[verb])},
                        agent,
                    )
                    for verb in verbs
                ]
            )
            assert saving.result() is None

        assert statuses(responses) == {200: parallel}
        versions = {version.number: version for version in assert_numbered(kind, entry)}
        [install] = entry.agent_installs.select_related("pinned")
        assert versions[install.number].digest == install.installed_digest
        assert install.pinned is None or install.pinned.number == install.number
        [last] = concurrently([("POST", f"{kind.path}/pin", {"slug": entry.slug}, agent)])
        assert last.json()["number"] == install.number


@both_kinds
def test_a_detail_and_its_newest_version_are_of_one_text(live_server_of, kind):
    """A reader of a text's number finds that text under the number at once."""
    server = live_server_of(**LIMITS)
    for _ in range(ROUNDS):
        entry, saved = kind.make(content=FIRST), Event()
        path = f"/api/v1/{kind.path.rpartition('/')[2]}/{entry.slug}"

        def read(path=path, saved=saved):
            """Read both until the last text is there; returns its number."""
            while True:
                is_last = saved.is_set()
                detail = server.request("GET", path).json()
                version = server.request("GET", f"{path}/versions/{detail['number']}").json()
                for name in ("number", "digest", "content"):
                    assert version[name] == detail[name]
                if is_last:
                    return detail["number"]

        with ThreadPoolExecutor(4) as pool:
            readers = [pool.submit(read) for _ in range(4)]
            try:
                rewrite(kind, entry)
            finally:
                saved.set()
            assert {reader.result() for reader in readers} == {1 + REWRITES}
