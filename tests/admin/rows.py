"""Rows of every model that the admin shows, and the addresses of their pages."""

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.urls import reverse
from django.utils import timezone

from agents.models import Agent, AgentToken, Invitation, OperatorClaim, OperatorKey
from agents.tokens import with_checksum
from audit.models import AuditEvent
from catalogue.models import Persona, Skill
from importing.models import ImportRun
from installs.models import PersonaInstall, SkillInstall
from operators.models import OperatorSession
from publishers.models import Publisher
from reports.models import Case, Report
from reviews.models import Review
from search.models import ZeroResultSearch
from sources.models import Source
from submissions.models import Submission
from tests.admin.actions import log_change
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    SourceFactory,
    SubmissionFactory,
    claim,
    review,
)
from tests.publishers.issuer import CI
from tests.snapshots import snapshot

# What a person types into the search box, and what the page then shows, for the first agent.
SEARCHES = {
    Agent: ("crawler-1", "crawler-1"),
    AgentToken: ("crawler-1", "crawler-1"),
    OperatorClaim: ("crawler-1", "crawler-1"),
    OperatorKey: ("crawler-1", "Ada Lovelace"),
    Invitation: ("mkt_invite", "For team 1"),
    Skill: ("pdf-tables-1", "pdf-tables-1"),
    Persona: ("archivist-1", "archivist-1"),
    Submission: ("proposed-1", "proposed-1"),
    Publisher: ("74", "74"),
    Source: ("source-1", "source-1"),
    ImportRun: ("upload-1", "upload-1"),
    ZeroResultSearch: ("no such thing 1", "no such thing 1"),
    SkillInstall: ("pdf-tables-1", "crawler-1"),
    PersonaInstall: ("archivist-1", "crawler-1"),
    Review: ("archivist-1", "Useful."),
    Case: ("pdf-tables-1", "pdf-tables-1"),
    Report: ("crawler-1", "crawler-1"),
    LogEntry: ("pdf-tables-1", "pdf-tables-1"),
    User: ("clerk-1", "clerk-1"),
    Group: ("group-1", "group-1"),
    AuditEvent: ("pdf-tables-1", "pdf-tables-1"),
}

# The key of the first agent's operator, who has one more key for every agent.
KEY = with_checksum(f"mkt_operator_{'0' * 32}")


def url_of(model, page, *arguments):
    options = model._meta
    return reverse(f"admin:{options.app_label}_{options.model_name}_{page}", args=arguments)


def change_page(row):
    return url_of(type(row), "change", row.pk)


def make_rows(first, last):
    """Rows of every model; the first agent, skill and persona have to do with all of them."""
    skills = list(Skill.objects.all())
    for number in range(first, last + 1):
        agent = AgentFactory(handle=f"crawler-{number}")
        skill = SkillFactory(
            slug=f"pdf-tables-{number}", tags=["pdf", "tables"], files={"scripts/run.py": b"1"}
        )
        skills.append(skill)
        persona = PersonaFactory(slug=f"archivist-{number}")
        SkillInstallFactory(agent=agent, skill=skill)
        review(agent, persona, 4, "Useful.")
        if number > 1:
            SkillInstallFactory(agent=agent, skill=skills[0])
            SkillInstallFactory(agent=first_of(Agent), skill=skill)
            review(agent, first_of(Persona), 4, "Useful.")
            review(first_of(Agent), persona, 4, "Useful.")
        for target in (skill, persona, Review.objects.latest("pk")):
            Report.objects.submit(agent, target, reason="spam", comment="Look at it.")
        Report.objects.submit(agent, first_of(Skill), reason="broken")
        AgentToken.objects.issue(Agent.objects.get(handle="crawler-1"))
        invitation = Invitation.objects.issue(note=f"For team {number}", uses=10)
        for name in (f"guest-{number}", f"other-guest-{number}"):
            AgentFactory(handle=name, invitation=invitation)
        give_an_operator(agent, number)
        # The page of a pending one has a preview, too, which takes the queries of an import.
        SubmissionFactory(agent=agent, slug=f"proposed-{number}").reject("No.")
        SubmissionFactory(agent=agent, slug=f"proposed-{number}")
        CI(f"https://ci-{number}.example").publisher(agent)
        source = SourceFactory(name=f"source-{number}")
        SubmissionFactory(agent=None, source=source, path="a/SKILL.md", slug=f"followed-{number}")
        ImportRun.objects.create(name=f"upload-{number}.zip", kind="skill")
        ZeroResultSearch.objects.create(
            kind="skill", text=f"no such thing {number}", last_searched_at=timezone.now()
        )
        log_change(skill, "Published.", User.objects.create(username=f"clerk-{number}"))
        Group.objects.create(name=f"group-{number}")
    Persona.objects.get(slug="archivist-1").skills.set(skills)


def give_an_operator(agent, number):
    claim(agent, key=KEY if number == 1 else None)
    claim(AgentFactory(handle=f"spider-{number}"), key=KEY, name=f"Ada the {number}.")
    for key in {first_of(OperatorKey), OperatorKey.objects.latest("pk")}:
        OperatorSession.objects.begin(key)


def first_of(model):
    return model.objects.order_by("pk").first()


def everything():
    """All rows that somebody may change; an export is an event, which changes nothing else."""
    changed = [model for model in SEARCHES if model is not AuditEvent]
    return snapshot(*changed, OperatorSession, Skill.personas.through)
