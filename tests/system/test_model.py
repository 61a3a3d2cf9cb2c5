"""Model-based test: each response of two workers, and the state after it, is that of a model."""

import os
import random
import re
import time
from collections import Counter
from contextlib import contextmanager
from urllib.parse import urlencode

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.stateful import (
    RuleBasedStateMachine,
    rule,
    run_state_machine_as_test,
)

from agents import tokens
from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.factories import PersonaFactory, SkillFactory
from tests.system import model_data as data
from tests.system.matchers import Interval, Opaque, differences
from tests.system.model import Model
from tests.system.model_agents import Agent as ModelAgent
from tests.system.model_agents import Response
from tests.system.model_data import API, REACHED, ROUTES, SORTS, UNKNOWN
from tests.system.model_steps import UNKNOWN_TOKEN, steps
from tests.system.scale import LONG, scale

# Hypothesis ends some runs early, so these are more runs than the steps would need.
RUNS, STEPS = scale(short=8, long=130), scale(short=20, long=40)
# The suite is deterministic; the full length draws a new seed each time, or takes MODEL_SEED.
SEED = int(os.environ.get("MODEL_SEED") or scale(short=1, long=random.randrange(10**6)))
UNLIMITED = {f"RATE_LIMIT_{name}": "1000000/h" for name in ("INSTALL", "REVIEW", "REGISTER")}


def test_it_behaves_as_the_model_says(live_server_of, tmp_path):
    # Hypothesis stores the code's constants; keep them out of the checkout.
    set_hypothesis_home_dir(tmp_path)
    server, counts, begun = live_server_of(**UNLIMITED), Counter(), time.monotonic()

    @seed(SEED)
    def marketplace():
        return Marketplace(server, counts)

    run_state_machine_as_test(
        marketplace,
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            # Shrinking takes minutes.
            phases=scale(short=[Phase.generate], long=[Phase.generate, Phase.shrink]),
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )

    took = time.monotonic() - begun
    print(  # noqa: T201
        f"\nmodel: {counts['runs']} runs, {counts['steps']} steps, {counts['requests']} requests, "
        f"0 divergences in {took:.1f} s (seed {SEED})"
    )
    if LONG:
        wanted = {(name, status) for name, statuses in REACHED.items() for status in statuses}
        assert wanted - counts.keys() == set()


class Marketplace(RuleBasedStateMachine):
    """One run: the same steps on the server and on the model, from an empty database."""

    def __init__(self, server, counts):
        super().__init__()
        self.server, self.counts = server, counts
        self.base_url = f"http://127.0.0.1:{server.port}"
        self.model = Model(self.base_url)
        self.has_diverged = False
        counts["runs"] += 1
        for rows in (Review, PersonaInstall, SkillInstall, Persona, Skill, Agent):
            rows.objects.all().delete()
        with self.clock():
            self.fill_catalogue()
        for body in ({"name": "First", "handle": "first"}, {}):
            self.act("register", body)
            self.act("install_persona", {"slug": "ember", "setActive": True}, self.model.tokens[-1])

    def fill_catalogue(self):
        for number, status in enumerate(data.STATUSES):
            fields, content = data.fields("skills", number), "s" * (7 * number + 1)
            SkillFactory(**fields, content=content, status=status)
            self.model.add("skills", fields, content, status)
        for number, status in enumerate(data.STATUSES):
            fields, content = data.fields("personas", number), "é" * (4 * number + 1)
            bundle = [self.model.entries["skills"][index] for index in data.BUNDLES[number]]
            price = data.PRICES[number]
            skills = [row_of(skill) for skill in bundle]
            PersonaFactory(
                **fields, content=content, status=status, price_cents=price, skills=skills
            )
            self.model.add("personas", fields, content, status, price=price, bundle=bundle)

    # One rule draws every step: of several rules Hypothesis disables half in each run, and a few
    # short runs would seldom install, activate and review.
    @rule(step=steps())
    def do(self, step):
        name, *arguments = step
        self.counts["steps"] += 1
        getattr(self, name)(*arguments)

    def request(self, operation, body, token):
        self.act(operation, body, token)
        agents = self.model.agents if operation == "register" else caller(token)
        slug = (body or {}).get("slug") or (body or {}).get("personaSlug")
        kind = "skills" if operation == "install_skill" else "personas"
        self.check(agents=agents, entries=self.named(kind, slug))

    # What staff do, as in the admin

    def edit(self, entry, column, value):
        with self.clock():
            row = row_of(entry)
            setattr(row, column, value)
            row.save(update_fields=[column, "updated_at"])
            self.model.edit(entry, column, value)
        related = entry.bundle + entry.bundled_in
        holders = [a for a in self.model.agents if {entry, *related} & {*a.skills, *a.personas}]
        self.check(agents=holders, entries=[entry, *related])

    def suspend(self, agent):
        with self.clock():
            row_of(agent).suspend()
            self.model.suspend(agent, suspended=True)
        self.check(agents=[agent])

    def restore(self, agent):
        with self.clock():
            row_of(agent).restore()
            self.model.suspend(agent, suspended=False)
        self.check(agents=[agent])

    def issue_token(self, agent, scopes):
        with self.clock():
            text = AgentToken.objects.issue(row_of(agent), scopes).text
            token = self.model.issue(agent, text, scopes)
        self.act("me", token=token)
        self.check(agents=[agent])

    def revoke_token(self, token):
        with self.clock():
            AgentToken.objects.get(digest=tokens.digest(str(token.text))).revoke()
            token.is_usable = False
        self.act("me", token=token)
        self.check(agents=[token.agent])

    # How a step is run and compared

    @contextmanager
    def clock(self):
        """Timestamps of what is written in the block lie in its interval."""
        self.model.interval = Interval()
        yield
        self.model.interval.end()

    def act(self, operation, body=None, token=None):
        """Do the same with the model and the server, and compare the responses."""
        self.model.interval = Interval()
        expected = getattr(self.model, operation)(token, body)
        method, path = ROUTES[operation]
        self.compare(operation, expected, method, path, body, token)

    def check(self, *, agents=(), entries=()):
        """What the API shows of the agents and entries that a step concerned."""
        for agent in agents:
            may_read = [token for token in agent.tokens if token.may("read")]
            self.act("me", token=(may_read or agent.tokens)[-1])
        for entry in entries:
            self.open(entry.kind, entry.slug)
        for kind in sorted({entry.kind for entry in entries}):
            self.paginate(kind, {})

    def open(self, kind, slug, token=None):
        expected = self.model.detail(kind, slug)
        self.compare("detail", expected, "GET", f"{API}/{kind}/{slug}", token=token)

    def paginate(self, kind, query):
        """A list from its first page to its last and back, by the links that it gives."""
        path = f"{API}/{kind}?{urlencode(query, doseq=True)}"
        rows = self.model.list_query(kind, query)
        if isinstance(rows, Response):
            self.compare("list", rows, "GET", path)
            return
        limit = int(query.get("limit", 20))
        pages = [rows[start : start + limit] for start in range(0, len(rows), limit)] or [[]]
        there = list(range(len(pages)))
        for number in there:
            links = self.page(path, kind, pages, number)
            path = links["next"]
        for number in there[-2::-1]:
            links = self.page(links["previous"], kind, pages, number)

    def page(self, path, kind, pages, number):
        link = rf"{re.escape(f'{self.base_url}{API}/{kind}')}\?.*cursor=.+"
        expected = {
            "results": pages[number],
            "count": sum(map(len, pages)),
            "next": Opaque(link) if number + 1 < len(pages) else None,
            "previous": Opaque(link) if number else None,
        }
        path = path.removeprefix(self.base_url)
        return self.compare("list", Response(200, expected), "GET", path)

    def compare(self, operation, expected, method, path, body=None, token=None):
        """Send a request; AssertionError where the response is not the expected one."""
        response = self.server.request(method, path, body, token=token and str(token.text))
        self.model.interval.end()
        self.counts["requests"] += 1
        self.counts[operation, response.status] += 1
        got = Response(response.status, response.json(), response.headers["WWW-Authenticate"])
        wrong = differences(vars(expected), vars(got))
        if response.headers["Content-Type"] != "application/json":
            wrong.append(f"Content-Type: {response.headers['Content-Type']}")
        if wrong:
            self.has_diverged = True
            asked = f"{method} {path} {body or ''} with {token or 'no token'}"
            raise AssertionError(f"{asked}: {'; '.join(wrong)}")
        return got.body

    def named(self, kind, slug):
        return [entry for entry in self.model.entries[kind] if entry.slug == slug]

    def teardown(self):
        """Compare all visible state once more at the end of a run."""
        if self.has_diverged:
            return
        skills, personas = self.model.entries["skills"], self.model.entries["personas"]
        self.check(agents=self.model.agents, entries=skills + personas)
        for kind, sorts in SORTS.items():
            self.open(kind, UNKNOWN, UNKNOWN_TOKEN)
            for sort in sorts:
                self.paginate(kind, {"sort": sort})
        for average in {str(persona.average) for persona in personas if persona.ratings}:
            self.paginate("personas", {"minRating": average})


def caller(token):
    return [token.agent] if token and token.agent else []


def row_of(thing):
    if isinstance(thing, ModelAgent):
        return Agent.objects.get(handle=str(thing.handle))
    return (Skill if thing.kind == "skills" else Persona).objects.get(slug=thing.slug)
