"""Over MCP: what there is to filter by, what has changed, and what is wrong."""

import pytest

from changes.models import Change
from marketplace.api.fields import timestamp
from reports.models import Report
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import NO_TOKEN, call, refusal, success


def test_it_lists_facets(anyone):
    SkillFactory(category="data", license="MIT")

    assert call(anyone, "list_facets", kind="skill") == success(
        {
            "categories": [{"value": "data", "count": 1}],
            "runtimes": [],
            "tags": [],
            "authors": [],
            "licenses": [{"value": "MIT", "count": 1}],
        }
    )
    assert call(anyone, "list_facets") == refusal("kind is required")
    assert call(anyone, "list_facets", kind="x") == refusal("kind must be one of skill, persona")


def test_a_search_takes_a_license(anyone):
    SkillFactory(slug="pdf", license="MIT")
    SkillFactory(license="ISC")

    content = call(anyone, "search_skills", license="MIT")["structuredContent"]

    assert [row["slug"] for row in content["results"]] == ["pdf"]


@pytest.mark.django_db(transaction=True)
def test_it_lists_changes_since_a_cursor(anyone):
    SkillFactory(slug="pdf-tables")
    first = call(anyone, "list_changes", limit=1)["structuredContent"]
    persona = PersonaFactory(slug="archivist")
    change = Change.objects.get(slug="archivist")

    result = call(anyone, "list_changes", since=first["cursor"], kind="persona")

    [row] = first["results"]
    assert row["slug"] == "pdf-tables"
    assert result["structuredContent"]["results"] == [
        {
            "kind": "persona",
            "slug": "archivist",
            "change": "published",
            "digest": persona.digest,
            "number": 1,
            "at": timestamp(change.changed_at),
        }
    ]
    [row] = call(anyone, "list_changes", since=first["next"])["structuredContent"]["results"]
    assert row["slug"] == "archivist"
    assert call(anyone, "list_changes", since="x") == refusal("cursor is invalid")
    unknown = refusal("Unknown argument 'cursor'. Allowed: since, kind, limit")
    assert call(anyone, "list_changes", cursor="x") == unknown


def test_it_reports(client, anyone, agent):
    SkillFactory(slug="pdf-tables")
    body = {"kind": "skill", "slug": "pdf-tables", "reason": "broken", "comment": "Look."}

    result = call(client, "report", **body)

    report = Report.objects.get()
    assert report.agent == agent
    assert result == success(
        {
            "message": "Report submitted",
            "reportId": report.public_id,
            "createdAt": timestamp(report.created_at),
        }
    )
    assert call(client, "report", **body)["structuredContent"]["message"] == "Report updated"
    assert call(anyone, "report", **body) == refusal(NO_TOKEN)


def test_a_report_of_an_unknown_slug_names_near_ones(client):
    PersonaFactory(slug="archivist")

    result = call(client, "report", kind="persona", slug="archivst", reason="spam")

    assert result == refusal("Persona not found. Did you mean archivist?")
