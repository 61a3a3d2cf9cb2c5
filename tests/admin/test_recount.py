"""manage.py recount"""

from io import StringIO

import pytest
from django.core.management import call_command

from catalogue.models import Persona, Skill
from reports.models import Case
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    review,
)


def recount(*options):
    """What the command prints, and its exit status."""
    output = StringIO()
    try:
        call_command("recount", *options, stdout=output)
    except SystemExit as stop:
        return output.getvalue(), stop.code
    return output.getvalue(), 0


@pytest.fixture
def counted(client):
    """A skill and a persona whose counters the API has moved."""
    skill = SkillFactory(slug="pdf")
    persona = PersonaFactory(slug="scribe")
    client.post("/api/v1/agents/me/skills/install", {"slug": "pdf"})
    client.post("/api/v1/agents/me/personas/install", {"slug": "scribe"})
    client.post("/api/v1/agents/me/reviews", {"personaSlug": "scribe", "rating": 4.5})
    return skill, persona


@pytest.mark.usefixtures("counted")
def test_counters_of_the_api_are_correct():
    assert recount() == ("Every counter is correct.\n", 0)


@pytest.mark.contract("12.8")
@pytest.mark.usefixtures("counted")
def test_installs_that_have_ended_are_counted_too(client):
    client.post("/api/v1/agents/me/skills/uninstall", {"slug": "pdf"})
    client.post("/api/v1/agents/me/personas/uninstall", {"slug": "scribe"})

    assert recount() == ("Every counter is correct.\n", 0)


def test_reports_are_counted_too(client, counted):
    body = {"kind": "skill", "slug": "pdf", "reason": "spam"}
    client.post("/api/v1/agents/me/reports", body)
    assert recount() == ("Every counter is correct.\n", 0)
    Case.objects.update(open_reports=3)

    output, status = recount("--fix")

    assert (output, status) == (
        "case skill pdf: open_reports is 3, its rows say 1\n1 corrected.\n",
        0,
    )
    assert Case.objects.get().open_reports == 1
    Case.objects.get().resolve()
    assert recount() == ("Every counter is correct.\n", 0)


@pytest.mark.usefixtures("counted")
def test_differences_are_printed_and_left():
    Skill.objects.update(downloads=7)
    Persona.objects.update(installs=0, rating_sum=9, rating_count=2)

    output, status = recount()

    assert status == 1
    assert output == (
        "skill pdf: downloads is 7, its rows say 1\n"
        "persona scribe: installs is 0, its rows say 1, rating_count is 2, its rows say 1, "
        "rating_sum is 9.00, its rows say 4.50\n"
        "2 differ. Run it again with --fix to fix them.\n"
    )
    assert Skill.objects.get().downloads == 7


def test_fix_sets_them_to_the_numbers_of_their_rows(counted):
    skill, persona = counted
    Skill.objects.update(downloads=7)
    Persona.objects.update(rating_sum=0, rating_count=0)
    review(AgentFactory(), persona, 2)
    PersonaInstallFactory(persona=persona)

    assert recount("--fix")[1] == 0

    skill.refresh_from_db()
    persona.refresh_from_db()
    assert skill.downloads == 1
    assert (persona.installs, persona.rating_count, persona.rating_avg) == (3, 2, 3.25)
    assert recount() == ("Every counter is correct.\n", 0)
