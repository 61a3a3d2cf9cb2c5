"""The activity of agents in a new demo."""

from collections import Counter
from contextlib import redirect_stdout
from datetime import timedelta
from io import StringIO
from itertools import pairwise
from tempfile import TemporaryDirectory

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.models import Agent, OperatorClaim
from catalogue.models import Persona, Skill, SkillVersion
from demo import activity
from demo.earlier import MISSING, write_earlier
from demo.postgres import CHECKOUT
from installs.models import PersonaInstall, SkillInstall
from reports.models import Case
from reviews.models import Review
from submissions.models import Submission
from tests.imports import import_personas, import_skills, served

DEMO = CHECKOUT / "demo"


def import_earlier():
    for kind, read in (("skills", import_skills), ("personas", import_personas)):
        for missing in MISSING:
            with TemporaryDirectory() as folder:
                write_earlier(kind, missing, folder)
                assert read(folder, source="demo").status == 0


@pytest.fixture(scope="module")
def activity_output(django_db_setup, django_db_blocker):
    """The output of filling the demo; the tests of this file share its rows."""
    with django_db_blocker.unblock(), transaction.atomic():
        import_earlier()
        import_skills(DEMO / "skills", source="demo")
        import_personas(DEMO / "personas", source="demo")
        with redirect_stdout(StringIO()) as output:
            activity.fill()
        yield output.getvalue()
        transaction.set_rollback(True)


@pytest.fixture
def printed(activity_output, db):
    return activity_output


def test_it_says_what_it_made_in_one_line_without_a_token(printed):
    installs = SkillInstall.objects.count() + PersonaInstall.objects.count()

    assert printed == (
        f"activity: {Agent.objects.count()} agents, {installs} installs, "
        f"{Review.objects.count()} reviews, {Submission.objects.count()} submissions, "
        "of the last 60 days\n"
    )
    assert Agent.objects.count() >= 40
    assert 60 <= Review.objects.count() <= 120


def test_every_counter_is_true(printed, capsys):
    call_command("recount")

    assert capsys.readouterr().out == "Every counter is correct.\n"


def test_nothing_is_older_than_what_it_is_about_or_lies_ahead(printed):
    now = timezone.now()

    for agent in Agent.objects.prefetch_related("tokens"):
        [token] = agent.tokens.all()
        assert now - timedelta(days=61) < agent.created_at == token.created_at
        assert agent.created_at <= token.last_used_at < now
    for model in (SkillInstall, PersonaInstall):
        installs = model.objects.order_by("pk").select_related("agent", model.kind)
        assert all(one.installed_at <= next_.installed_at for one, next_ in pairwise(installs))
        for install in installs:
            entry = getattr(install, model.kind)
            assert max(entry.created_at, install.agent.created_at) < install.installed_at < now
            assert install.removed_at is None or install.installed_at < install.removed_at < now
            assert install.installed_digest == entry.digest
            assert install.number == entry.number
    for review in Review.objects.select_related("agent"):
        install = review.agent.persona_installs.present().get(persona=review.persona_id)
        assert install.installed_at < review.created_at == review.updated_at < now


@pytest.mark.parametrize("model", [Skill, Persona])
def test_versions_are_as_old_as_their_entries(printed, model):
    entries = model.objects.prefetch_related("versions")

    assert {entry.number for entry in entries} == {1, 3}
    for entry in entries:
        dates = [version.created_at for version in entry.versions.all()]
        assert dates == sorted(dates, reverse=True)
        assert dates[-1] == entry.created_at
        assert abs(entry.updated_at - dates[0]) < timedelta(milliseconds=1)


def test_versions_never_change_afterwards(printed):
    with pytest.raises(IntegrityError, match="A version never changes"), transaction.atomic():
        SkillVersion.objects.update(title="Other")


def test_some_have_operators_and_staff_have_something_to_do(anyone, printed):
    claims = Counter(claim.operator_name for claim in OperatorClaim.objects.claimed())
    assert sorted(claims.values()) == [1] * 6 + [5]
    assert OperatorClaim.objects.pending().count() == 1
    assert sorted((case.kind, case.open_reports) for case in Case.objects.open()) == [
        ("review", 1),
        ("skill", 2),
    ]
    deprecation = served(anyone, "colour-contrast")["deprecation"]
    assert deprecation["replacedBy"] == "page-accessibility-check"
    assert served(anyone, "cron-schedules")["deprecation"]["replacedBy"] is None
    page = anyone.get("/skills/spreadsheet-formulas")
    assert page.status_code == 410
    assert 'href="/skills/csv-cleaning"' in page.content.decode()


def test_it_names_everything_by_slugs_that_exist():
    skills = {path.parent.name for path in (DEMO / "skills").glob("*/SKILL.md")}
    personas = {path.stem for path in (DEMO / "personas").glob("*.md")}

    assert sorted(activity.ACTIVITY["skills"]) == sorted(skills)
    assert personas > activity.ACTIVITY["reviews"].keys()
