"""POST /api/v1/agents/me/reports: agents report problems (contract 18.1)."""

import pytest

from agents.models import Agent
from catalogue.models import Persona, Skill
from marketplace.api.fields import timestamp
from reports.models import Case, Report
from reviews.models import Review
from tests.api.concurrency import during
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

URL = "/api/v1/agents/me/reports"
SKILL = {"kind": "skill", "slug": "pdf-tables", "reason": "malicious"}
PERSONA = {"kind": "persona", "slug": "archivist", "reason": "spam"}


@pytest.fixture(autouse=True)
def catalogue(db):
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")


@pytest.fixture
def written():
    return review(AgentFactory(), PersonaFactory(), 1, "Buy at example.com")


def of_review(review):
    return {"kind": "review", "reviewId": review.public_id, "reason": "spam"}


@pytest.mark.contract("18.1")
@pytest.mark.parametrize("body", [SKILL, PERSONA], ids=["skill", "persona"])
def test_a_report_is_filed(client, agent, body):
    response = client.post(URL, body | {"comment": "It sends what it reads elsewhere."})

    report = Report.objects.get()
    assert response.status_code == 201
    assert response.json() == {
        "message": "Report submitted",
        "reportId": report.public_id,
        "createdAt": timestamp(report.created_at),
    }
    assert response["Cache-Control"] == "no-store"
    assert report.public_id.startswith("report_")
    assert (report.agent, str(report.case)) == (agent, f"{body['kind']} {body['slug']}")
    assert report.reason == body["reason"]
    assert report.comment == "It sends what it reads elsewhere."


@pytest.mark.contract("18.1")
def test_a_review_is_reported(client, written):
    response = client.post(URL, of_review(written))

    assert response.status_code == 201
    assert Report.objects.get().case.review == written


@pytest.mark.contract("18.2")
def test_another_report_of_the_same_replaces_it(client):
    first = client.post(URL, SKILL | {"comment": "Look."}).json()

    response = client.post(URL, SKILL | {"reason": "broken"})

    assert response.status_code == 200
    assert response.json() == {**first, "message": "Report updated"}
    report = Report.objects.get()
    assert (report.reason, report.comment) == ("broken", "")
    assert report.case.open_reports == 1


def test_a_review_that_was_written_anew_gets_a_report_of_its_own(client, written):
    first = client.post(URL, of_review(written)).json()
    Review.objects.delete_own(written.agent, written.persona.slug)
    anew = review(written.agent, written.persona, 2, "Buy at example.org")

    responses = [client.post(URL, of_review(anew)) for _ in range(2)]

    assert [response.status_code for response in responses] == [201, 200]
    new, again = (response.json() for response in responses)
    assert new["message"] == "Report submitted"
    assert new["reportId"] != first["reportId"]
    assert new["createdAt"] > first["createdAt"]
    assert again == {**new, "message": "Report updated"}
    # Staff decide all its reports together, in one case.
    report = Report.objects.get()
    assert report.public_id == new["reportId"]
    assert report.case.open_reports == 1


def test_reports_of_different_things_and_agents_are_their_own(client, client_of):
    for body in (SKILL, PERSONA):
        client.post(URL, body)
    client_of(AgentFactory()).post(URL, SKILL)

    assert Report.objects.count() == 3
    assert sorted(Case.objects.values_list("open_reports", flat=True)) == [1, 2]


@pytest.mark.contract("18.2")
def test_a_resolved_case_opens_again(client, client_of):
    client.post(URL, SKILL)
    client_of(AgentFactory()).post(URL, SKILL)
    case = Case.objects.get()
    case.resolve("Nothing in it.")
    assert (case.open_reports, Case.objects.open().count()) == (0, 0)

    response = client.post(URL, SKILL)

    assert response.status_code == 200
    case.refresh_from_db()
    # The staff's finding stays for the next decision.
    assert (case.open_reports, case.resolved_at, case.resolution) == (1, None, "Nothing in it.")
    assert Report.objects.open().count() == 1


@pytest.mark.contract("18.3")
@pytest.mark.parametrize("leave", ["withdraw", "redraft"])
@pytest.mark.parametrize(
    ("body", "error"), [(SKILL, "Skill not found"), (PERSONA, "Persona not found")]
)
def test_an_unpublished_entry_cannot_be_reported(client, body, error, leave):
    model = Skill if body["kind"] == "skill" else Persona
    getattr(model.objects.get(slug=body["slug"]), leave)()

    response = client.post(URL, body)

    assert response.status_code == 404
    assert response.json() == {"error": error}


@pytest.mark.contract("18.3")
@pytest.mark.parametrize("leave", ["hide", "delete", "withdraw"])
def test_a_review_that_nobody_can_read_is_not_found(client, written, leave):
    if leave == "hide":
        written.hide("spam")
    elif leave == "withdraw":
        written.persona.withdraw()
    else:
        Review.objects.delete_own(written.agent, written.persona.slug)

    response = client.post(URL, of_review(written))

    assert response.status_code == 404
    assert response.json() == {"error": "Review not found"}


def test_a_skills_slug_is_no_personas(client):
    response = client.post(URL, SKILL | {"kind": "persona"})

    assert response.status_code == 404
    assert response.json() == {"error": "Persona not found"}


KINDS = "kind must be one of skill, persona, review"
REASONS = "reason must be one of malicious, broken, spam, license, other"


@pytest.mark.contract("18.1")
@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"kind": None}, "kind is required"),
        ({"kind": "agent"}, KINDS),
        ({"kind": ["skill"]}, "kind must be a string"),
        ({"slug": None}, "slug is required"),
        ({"slug": ""}, "slug is required"),
        ({"slug": 5}, "slug must be a string"),
        ({"reason": None}, "reason is required"),
        ({"reason": "Spam"}, REASONS),
        ({"reason": {}}, "reason must be a string"),
        ({"comment": "x" * 1001}, "comment must be at most 1000 characters"),
        ({"comment": 5}, "comment must be a string"),
        ({"comment": "mkt_agent_" + "a" * 38}, "comment must not hold a token"),
        ({"kind": "review"}, "reviewId is required"),
        ({"kind": "review", "reviewId": 5}, "reviewId must be a string"),
        # The kind decides which of the two is required.
        ({"kind": "x", "slug": None, "reason": "x"}, f"{KINDS}; {REASONS}"),
        ({"kind": None, "slug": 5, "reason": None}, "kind is required; reason is required"),
    ],
)
def test_a_wrong_body_is_refused(client, changes, error):
    body = {name: value for name, value in (SKILL | changes).items() if value is not None}

    response = client.post(URL, body)

    assert response.status_code == 400
    assert response.json() == {"error": error}
    assert not Report.objects.exists()


@pytest.mark.contract("18.1")
def test_fields_of_another_kind_are_ignored(client, written):
    assert client.post(URL, SKILL | {"reviewId": {"x": []}}).status_code == 201
    assert client.post(URL, of_review(written) | {"slug": 5}).status_code == 201


@pytest.mark.contract("18.3")
@pytest.mark.parametrize("slug", ["PDF-Tables", "no-such", "-", "\u0663", "x" * 5000])
def test_a_report_of_an_unknown_slug_is_not_found(client, slug):
    assert client.post(URL, SKILL | {"slug": slug}).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_two_agents_may_be_the_first_to_report_it(client, client_of, agent):
    other = client_of(AgentFactory())

    def first():
        Report.objects.submit(agent, Skill.objects.get(), reason="spam")

    [response] = during(first, lambda: other.post(URL, SKILL))

    assert response.status_code == 201
    assert Case.objects.get().open_reports == Report.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.contract("18.2")
def test_an_agent_that_reports_twice_at_once_has_one_report(client, agent):
    def first():
        Report.objects.submit(Agent.objects.get(pk=agent.pk), Skill.objects.get(), reason="spam")

    [response] = during(first, lambda: client.post(URL, SKILL))

    assert response.status_code == 200
    assert Report.objects.get().reason == "malicious"
    assert Case.objects.get().open_reports == 1


@pytest.mark.django_db(transaction=True)
def test_a_report_while_staff_resolve_the_case_stays_open(client, client_of):
    client_of(AgentFactory()).post(URL, SKILL)
    case = Case.objects.get()

    [response] = during(lambda: case.resolve("Nothing."), lambda: client.post(URL, SKILL))

    assert response.status_code == 201
    case.refresh_from_db()
    assert (case.open_reports, case.resolved_at) == (1, None)
    assert Report.objects.open().count() == 1


@pytest.mark.django_db(transaction=True)
def test_staff_resolve_a_report_that_is_filed_meanwhile_too(client_of, agent):
    client_of(AgentFactory()).post(URL, SKILL)
    case = Case.objects.get()

    def file():
        Report.objects.submit(agent, Skill.objects.get(), reason="spam")

    during(file, lambda: case.resolve("Nothing."))

    case.refresh_from_db()
    assert (case.open_reports, case.resolution) == (0, "Nothing.")
    assert not Report.objects.open().exists()


@pytest.mark.django_db(transaction=True)
def test_an_agent_that_is_suspended_meanwhile_reports_nothing(client, agent):
    suspend = Agent.objects.get(pk=agent.pk).suspend

    [response] = during(suspend, lambda: client.post(URL, SKILL))

    assert response.status_code == 401
    assert response.json() == {"error": "Authentication required"}
    assert not Report.objects.exists()
