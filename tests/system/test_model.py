"""Model-based test: a model predicts each response of two workers, and the state after it."""

import os
import random
import time
from collections import Counter
from operator import attrgetter

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.stateful import (
    RuleBasedStateMachine,
    rule,
    run_state_machine_as_test,
)

from agents.models import Agent
from catalogue.models import Persona, Purge, Skill
from changes.models import Change
from installs.models import PersonaInstall, SkillInstall
from reports.models import Case, Report
from reviews.models import Review
from tests.cleanup import forget_versions
from tests.factories import PersonaFactory, SkillFactory
from tests.system import model_data as data
from tests.system.model import Model
from tests.system.model_agents import EVERY_SCOPE, LIMIT, WINDOW_DAYS
from tests.system.model_data import REACHED, SORTS, UNKNOWN
from tests.system.model_desk import DeskActions
from tests.system.model_requests import ComparedRequests
from tests.system.model_staff import REACHED_ENDS, StaffActions, row_of
from tests.system.model_steps import UNKNOWN_TOKEN, steps
from tests.system.model_tokens import MAX_TOKENS
from tests.system.scale import LONG, UNLIMITED, scale
from tests.system.staff import Staff

# Runs of a round. Random runs may miss a rare step, so at full length more rounds follow until each
# was seen.
RUNS, STEPS = scale(short=4, long=45), scale(short=25, long=40)
ROUNDS, MAX_ROUNDS = scale(short=1, long=4), scale(short=1, long=12)
# The suite is deterministic; the full length uses a new seed each time, or MODEL_SEED.
SEED = int(os.environ.get("MODEL_SEED") or scale(short=1, long=random.randrange(10**6)))
RATE = f"{LIMIT}/{WINDOW_DAYS}d"
LIMITS = dict.fromkeys(UNLIMITED, RATE)
LIMITS |= {"WEB_CONCURRENCY": "2", "SUBMISSIONS_MAX": str(data.MAX_PENDING)}


@pytest.mark.slow
def test_it_behaves_as_the_model_says(live_server_of, tmp_path):
    # Hypothesis stores the code's constants; keep them out of the checkout.
    set_hypothesis_home_dir(tmp_path)
    server, counts, begun = live_server_of(**LIMITS), Counter(), time.monotonic()
    staff = Staff(server)

    def marketplace():
        return Marketplace(server, staff, counts)

    for number in range(MAX_ROUNDS):
        if number >= ROUNDS and not missing(counts):
            break
        run_state_machine_as_test(
            seed(SEED + number)(marketplace),
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
        assert missing(counts) == set()


def missing(counts):
    """The steps and statuses that no run has seen yet."""
    reached = REACHED | REACHED_ENDS
    return {
        (name, status) for name, statuses in reached.items() for status in statuses
    } - counts.keys()


class Marketplace(ComparedRequests, StaffActions, DeskActions, RuleBasedStateMachine):
    """One run: the same steps on the server and on the model, from an empty database."""

    def __init__(self, server, staff, counts):
        super().__init__()
        self.server, self.staff, self.counts = server, staff, counts
        staff.pages.clear()
        self.base_url = f"http://127.0.0.1:{server.port}"
        self.model = Model(self.base_url)
        counts["runs"] += 1
        forget_versions()
        for rows in (
            *(Report, Case, Review, PersonaInstall, SkillInstall, Persona, Skill, Agent),
            Purge,
            Change,  # last, because deleting entries left tombstones
        ):
            rows.objects.all().delete()
        with self.clock():
            self.fill_catalogue()
        for body in ({"name": "First", "handle": "first"}, {}):
            self.act("register", body)
            for operation, given in data.START:
                self.act(operation, given, self.model.tokens[-1])
        authors = [self.issue(agent, EVERY_SCOPE) for agent in self.model.agents]
        self.begin_submitting(authors[0])
        # The first agent has as many tokens as it can create.
        for _ in range(MAX_TOKENS - 2):
            self.issue(self.model.agents[0], ["read"])
        self.act("rotate_token", {"graceSeconds": 60}, self.model.agents[0].tokens[0])

    def fill_catalogue(self):
        for number, status in enumerate(data.STATUSES):
            fields = data.fields("skills", number)
            content = data.content("skills", fields["slug"], "s" * (7 * number + 1))
            SkillFactory(**fields, content=content, status=status)
            self.model.add("skills", fields, content, status)
        for number, status in enumerate(data.STATUSES):
            fields, content = data.fields("personas", number), "é" * (4 * number + 1)
            bundle = [self.model.entries["skills"][index] for index in data.BUNDLES[number]]
            price = data.PRICES[number]
            skills = [row_of(skill) for skill in bundle]
            with transaction.atomic():  # a change of the feed
                PersonaFactory(
                    **fields, content=content, status=status, price_cents=price, skills=skills
                )
            self.model.add("personas", fields, content, status, price=price, bundle=bundle)
        for kind, entries in self.model.entries.items():
            for number, texts in data.LATER.items():
                self.write_later(kind, entries[number], texts)
            recalled, reason = entries[data.RECALLED], data.RECALL_REASONS[0]
            row_of(recalled).versions.get(number=1).recall(reason)
            self.model.recall_version(recalled, recalled.versions[0], reason)

    def write_later(self, kind, entry, texts):
        first = entry.content
        for text in texts:
            values = {"content": data.content(kind, entry.slug, text) if text else first}
            self.save(entry, values)
            self.model.edit(entry, **values)

    # One rule draws every step: with several rules, Hypothesis disables half of them in each
    # run, and a few short runs would seldom install, activate and review.
    @rule(step=steps())
    def do(self, step):
        name, *arguments = step
        self.counts["steps"] += 1
        getattr(self, name)(*arguments)

    def request(self, operation, given, token):
        self.act(operation, given, token)
        agents = self.model.agents if operation == "register" else caller(token)
        slug = (given or {}).get("slug") or (given or {}).get("personaSlug")
        kind = "skills" if operation.endswith("skill") else "personas"
        # Reviews show the name of their agent.
        reviews = [*agents[0].reviews] if operation == "update_me" and agents else []
        self.check(agents=agents, entries=[*self.named(kind, slug), *reviews])
        self.check_versions(self.named(kind, slug))
        if operation.endswith("_token") and token:
            self.act("list_tokens", token=token)

    # The state to compare after a step

    def check(self, *, agents=(), entries=()):
        """The agents and entries of a step in the API."""
        for agent in agents:
            may_read = [token for token in agent.tokens if token.may("read")]
            token = (may_read or agent.tokens)[-1]
            for operation in ("me", "manifest"):
                self.act(operation, token=token)
            for operation in ("own_skills", "own_personas"):
                self.paginate(operation, {}, token)
        for entry in entries:
            self.open(entry.kind, entry.slug)
            kind = entry.kind.removesuffix("s")
            self.paginate(f"list_{kind}_versions", {"limit": "2"}, None, entry.slug)
            if entry.reviews:
                self.paginate("persona_reviews", {}, None, entry.slug)
        for kind in sorted({entry.kind for entry in entries}):
            self.paginate(f"list_{kind}", {})

    def check_versions(self, entries):
        for entry in entries:
            # The number after the last does not exist.
            for number in range(1, len(entry.versions) + 2):
                self.open_version(entry.kind, entry.slug, str(number))

    def check_related(self, entry):
        self.check_changes()
        self.check_versions([entry])
        self.act("facets", {"kind": entry.kind.removesuffix("s")})
        related = entry.bundle + entry.bundled_in + self.model.predecessors(entry)
        holders = [a for a in self.model.agents if {entry, *related} & {*a.skills, *a.personas}]
        self.check(agents=holders, entries=[entry, *related])

    def named(self, kind, slug):
        return [entry for entry in self.model.entries[kind] if entry.slug == slug]

    def teardown(self):
        """Compare all visible state again at the end of a run."""
        if self.has_diverged:
            return
        skills, personas = self.model.entries["skills"], self.model.entries["personas"]
        self.check(agents=self.model.agents, entries=skills + personas)
        self.check_versions(skills + personas)
        for agent in self.model.agents:
            for operation in ("limits", "list_tokens"):
                self.act(operation, token=agent.tokens[-1])
            for own in ("own_skills", "own_personas", "own_reviews", "own_submissions"):
                self.paginate(own, {"limit": "2"}, agent.tokens[-1])
        self.check_lists(personas)
        self.check_changes()
        self.cursor = None
        self.model.unread.update(self.model.feed)
        self.check_changes()
        for kind in ("skill", "persona"):
            self.act("facets", {"kind": kind})
        if self.counts["runs"] == 1:
            for entries in self.model.entries.values():
                self.take_back(next(entry for entry in entries if entry.is_published))

    def check_lists(self, personas):
        for kind in ("skills", "personas"):
            self.open(kind, UNKNOWN, UNKNOWN_TOKEN)
            self.open_version(kind, UNKNOWN, "1")
            for number in data.NO_NUMBERS:
                self.open_version(kind, data.SLUGS[kind][0], number)
            for sort in SORTS[f"list_{kind}"]:
                self.paginate(f"list_{kind}", {"sort": sort})
        for persona in filter(attrgetter("reviews"), personas):
            for sort in SORTS["persona_reviews"]:
                self.paginate("persona_reviews", {"sort": sort, "limit": "1"}, None, persona.slug)
        for average in {str(persona.average) for persona in personas if persona.ratings}:
            self.paginate("list_personas", {"minRating": average})


def caller(token):
    return [token.agent] if token and token.agent else []
