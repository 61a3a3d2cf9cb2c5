"""What some forty agents have done with the demo catalogue in the last sixty days.

`make demo` fills an empty database with it once, unless DEMO_ACTIVITY=0. activity.json says who the
agents are, what they install most, and what they write. The rest is drawn with a constant seed, so
only the dates, which end now, differ each time.
"""

import json
import random
from datetime import timedelta
from decimal import Decimal
from operator import attrgetter
from pathlib import Path

from django.db import connection, transaction
from django.utils import timezone

from agents.models import Agent, AgentToken, OperatorClaim, OperatorKey
from agents.tokens import mint_key
from catalogue.models import Persona, Skill
from demo.proposals import propose
from installs.models import PersonaInstall, SkillInstall
from reports.models import Report
from reviews.models import Review

ACTIVITY = json.loads((Path(__file__).resolve().parent / "activity.json").read_text())
SEED, DAYS = 60, 60
# The share of the agents that installs the most popular entry of a kind. For the n-th most popular,
# it is divided by n to the power of the tail.
MOST, SKILL_TAIL, PERSONA_TAIL = 0.9, 0.6, 0.8


@transaction.atomic
def fill(key_file=None):
    """Fill a database that has the demo catalogue and no agents; print what was made.

    `key_file` gets the key of the operator who has the most agents.
    """
    activity = Activity()
    if not activity.skills or not activity.personas:
        return
    activity.register()
    activity.claim()
    activity.install_skills()
    activity.install_personas()
    activity.review()
    activity.date_tokens()
    activity.report()
    activity.deprecate()
    activity.recall()
    activity.check()
    for model, entries in ((Skill, activity.skills), (Persona, activity.personas)):
        date(model, [*entries.values()])
        for entry in model.objects.miscounted():
            model.objects.recount(entry)
    proposals = propose(activity)
    installs = len(activity.skill_installs) + len(activity.persona_installs)
    print(
        f"activity: {len(activity.agents)} agents, {installs} installs, "
        f"{len(activity.reviews)} reviews, {proposals} submissions, of the last {DAYS} days"
    )
    if key_file:
        Path(key_file).touch(mode=0o600)
        Path(key_file).write_text(activity.keys["Harbour Operations"])


class Activity:
    def __init__(self):
        self.random = random.Random(SEED)  # noqa: S311  # nosec B311
        self.now = timezone.now()
        self.skills = self.entries_of(Skill, ACTIVITY["skills"])
        self.personas = self.entries_of(Persona, [*ACTIVITY["reviews"]])

    def later(self, moment):
        """A random time between a moment and now, mostly closer to the moment."""
        return moment + (self.now - moment) * self.random.betavariate(1, 2)

    def use(self, agent, since):
        """When an agent does something, after what it did before."""
        moment = self.later(since)
        agent.seen_at = max(agent.seen_at, moment)
        return moment

    def entries_of(self, model, popular):
        """The demo's entries by slug, with dates: popular ones are mostly older."""
        demo = model.objects.published().filter(source__startswith="demo:").order_by("slug")
        entries = {entry.slug: entry for entry in demo}
        for slug, entry in entries.items():
            rank = popular.index(slug) / len(popular) if slug in popular else self.random.random()
            ago = 3 * DAYS * (1 - rank) * self.random.uniform(0.4, 1) + self.random.uniform(1, 9)
            # Saving an entry moves its `updated_at`.
            entry.created_at = entry.dated_at = self.now - timedelta(days=ago)
            if entry.number > 1:
                entry.dated_at = self.later(entry.created_at)
        return entries

    def register(self):
        """The agents, one every day or two, with tokens that nobody has seen."""
        self.agents = {}
        for number, (name, description, runtime) in enumerate(ACTIVITY["agents"]):
            agent = Agent.objects.enrol(name=name, description=description, runtime=runtime)
            days = DAYS * (1 - number / len(ACTIVITY["agents"])) - self.random.random()
            agent.created_at = agent.updated_at = agent.seen_at = self.now - timedelta(days=days)
            agent.business = self.random.paretovariate(2)
            self.agents[name] = agent
        Agent.objects.bulk_update(self.agents.values(), ["created_at", "updated_at"])

    def claim(self):
        claims, self.keys = [], {}
        for name, operator, email in ACTIVITY["operators"]:
            claim, key = self.agents[name].claim, self.keys.setdefault(operator, mint_key())
            code = claim.request_code(name=operator, email=email, key=key)
            claim.confirm(code, self.agents[name].token)
            claim.claimed_at = self.use(self.agents[name], self.agents[name].created_at)
            claim.key.created_at = claim.key.confirmed_at = claim.claimed_at
            claims.append(claim)
        OperatorClaim.objects.bulk_update(claims, ["claimed_at"])
        # A key is as old as its first claim.
        oldest = sorted(claims, key=attrgetter("claimed_at"), reverse=True)
        keys = {claim.key_id: claim.key for claim in oldest}.values()
        OperatorKey.objects.bulk_update(keys, ["created_at", "confirmed_at"])
        name, operator, email = ACTIVITY["pending"]
        claim = self.agents[name].claim
        claim.request_code(name=operator, email=email, key=mint_key())

    def installs_of(self, model, entries, slugs, tail):
        """The installs of these entries, of which the first is the most popular."""
        installs = []
        for rank, slug in enumerate(slugs, start=1):
            if slug not in entries:
                continue  # staff have taken it away
            for agent in self.busy_agents(round(MOST * len(self.agents) / rank**tail)):
                since = max(agent.created_at, entries[slug].created_at)
                install = model(agent=agent, installed_at=self.use(agent, since))
                install.installed_digest = entries[slug].digest
                install.number = entries[slug].number
                setattr(install, model.kind, entries[slug])
                installs.append(install)
        return sorted(installs, key=attrgetter("installed_at"))

    def busy_agents(self, number):
        """A random choice of so many agents; busier ones are chosen more often."""
        # A weighted sample without replacement, as Efraimidis and Spirakis draw it.
        agents = self.agents.values()
        draws = {agent: self.random.random() ** (1 / agent.business) for agent in agents}
        return sorted(draws, key=draws.get)[-number:]

    def install_skills(self):
        slugs = ACTIVITY["skills"]
        self.skill_installs = self.installs_of(SkillInstall, self.skills, slugs, SKILL_TAIL)
        for install in self.skill_installs:
            install.runtime = install.agent.runtime
            if self.random.random() < 0.1:
                install.removed_at = self.use(install.agent, install.installed_at)
        insert(SkillInstall, self.skill_installs)

    def install_personas(self):
        slugs = ACTIVITY["reviews"]
        self.persona_installs = self.installs_of(PersonaInstall, self.personas, slugs, PERSONA_TAIL)
        # The last one of each agent is its active persona; some have none.
        for install in {install.agent: install for install in self.persona_installs}.values():
            install.is_active = self.random.random() < 0.9
        insert(PersonaInstall, self.persona_installs)

    def review(self):
        """Let some of the agents that have a persona review it."""
        drafts = []
        for slug, texts in ACTIVITY["reviews"].items():
            holders = [install for install in self.persona_installs if install.persona.slug == slug]
            reviewing = self.random.sample(holders, min(len(holders), len(texts)))
            for install, (rating, comment) in zip(reviewing, texts, strict=False):
                moment = self.use(install.agent, install.installed_at)
                drafts.append((moment, install.agent, slug, Decimal(str(rating)), comment))
        self.reviews = []
        for moment, agent, slug, rating, comment in sorted(drafts, key=lambda draft: draft[0]):
            review, _ = Review.objects.submit(agent, slug, rating=rating, comment=comment)
            review.created_at = review.updated_at = moment
            self.reviews.append(review)
        Review.objects.bulk_update(self.reviews, ["created_at", "updated_at"])

    def date_tokens(self):
        """Agents were last seen some time after all that they did."""
        tokens = [agent.token for agent in self.agents.values()]
        for agent, token in zip(self.agents.values(), tokens, strict=True):
            token.created_at, token.last_used_at = agent.created_at, self.later(agent.seen_at)
        AgentToken.objects.bulk_update(tokens, ["created_at", "last_used_at"])

    def report(self):
        """What the staff will find in their queue."""
        targets = {review.comment: review for review in self.reviews} | self.skills
        for name, about, reason, comment in ACTIVITY["reports"]:
            if about in targets:
                agent = self.agents[name]
                Report.objects.submit(agent, targets[about], reason=reason, comment=comment)

    def deprecate(self):
        for slug, successor, message in ACTIVITY["deprecated"]:
            if slug in self.skills:
                self.skills[slug].deprecate(message, self.skills.get(successor))

    def recall(self):
        for slug, successor, reason in ACTIVITY["recalled"]:
            if slug in self.skills:
                # Another object, because a recall reads the row again, which has no dates yet.
                Skill.objects.get(slug=slug).recall(reason, self.skills.get(successor))
                recalled_at = self.now - timedelta(days=2)
                Skill.objects.filter(slug=slug).update(withdrawn_at=recalled_at)

    def check(self):
        """Staff have checked what agents install most, on the day of its last change."""
        entries = self.skills | self.personas
        for slug in (*ACTIVITY["skills"][:15], *[*ACTIVITY["reviews"]][:8]):
            if slug in entries:
                entry = entries[slug]
                entry.checked_number, entry.checked_at = entry.number, entry.dated_at


def date(model, entries):
    """Give entries and their versions the dates of the activity."""
    for entry in entries:
        entry.updated_at = entry.dated_at
    model.objects.bulk_update(entries, ["created_at", "updated_at", "checked_number", "checked_at"])
    table = model._meta.db_table  # noqa: SLF001
    with connection.cursor() as cursor:
        # Foreign keys that wait for their check would keep the table from being altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        # A version never changes (contract 25.2), and those of the demo have been made just now.
        cursor.execute(f"ALTER TABLE {table}version DISABLE TRIGGER {table}_version_kept")
        for entry in entries:
            step = (entry.updated_at - entry.created_at) / max(entry.number - 1, 1)
            for number in range(entry.number):
                created_at = entry.created_at + number * step
                entry.versions.filter(number=number + 1).update(created_at=created_at)
        cursor.execute(f"ALTER TABLE {table}version ENABLE TRIGGER {table}_version_kept")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def insert(model, installs):
    """Insert rows with the dates that they have, where bulk_create alone would put now."""
    field = model._meta.get_field("installed_at")  # noqa: SLF001
    field.auto_now_add = False
    try:
        model.objects.bulk_create(installs)
    finally:
        field.auto_now_add = True
