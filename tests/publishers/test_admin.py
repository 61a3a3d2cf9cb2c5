"""The publishers in the admin (contract 31.1)."""

import pytest

from marketplace.addresses import FORM
from publishers.models import Publisher
from tests.browser import untouched_form

LIST = "/admin/publishers/publisher/"
ADD = f"{LIST}add/"
GITHUB = {
    "agent": "@Caller",
    "issuer": "https://token.actions.githubusercontent.com",
    "project_claim": "repository_id",
    "project": "74",
    "ref": "refs/heads/main",
    "ref_type": "branch",
}
RUNS = "Name a ref or an environment, or tick any branch, which needs no ref."
KIND = (
    "A tag may have the name of a branch: choose the type of the ref, or allow protected ones only."
)


@pytest.fixture
def add(admin_client, agent):
    """Fill in the form that adds a publisher, and save it."""

    def add(**fields):
        form = untouched_form(admin_client.get(ADD), "publisher_form") | GITHUB | fields
        return admin_client.post(ADD, form)

    return add


def errors_in(response):
    form = response.context["adminform"].form
    return [text for texts in form.errors.values() for text in texts]


@pytest.mark.contract("31.1")
def test_a_publisher_is_made(add, agent, admin_client):
    assert add().status_code == 302

    publisher = Publisher.objects.get()
    assert publisher.agent == agent
    assert publisher.audience == "http://testserver"
    assert publisher.claims == {
        "iss": "https://token.actions.githubusercontent.com",
        "repository_id": "74",
        "ref": "refs/heads/main",
        "ref_type": "branch",
    }
    page = admin_client.get(LIST).content.decode()
    assert "branch refs/heads/main" in page


@pytest.mark.contract("31.1")
@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"agent": "nobody"}, "No agent is called nobody."),
        ({"ref": ""}, RUNS),
        (
            {"any_branch": "on"},
            RUNS,
        ),
        (
            {"any_branch": "on", "ref": "", "ref_type": "tag"},
            "A tag is no branch: choose the type branch, or none.",
        ),
        (
            {"ref_type": ""},
            KIND,
        ),
        (
            {"issuer": "http://gitlab.example.com"},
            "Use https. Only 127.0.0.1 and localhost may have http.",
        ),
        ({"issuer": "https://user@gitlab.example.com"}, FORM),
        (
            {"issuer": "HTTPS://gitlab.example.com"},
            "Write https or http, and localhost, in small letters.",
        ),
        ({"project": ""}, "This field is required."),
        ({"audience": ""}, "This field is required."),
        (
            {"ref": "refs/heads/ma\u202ein"},
            "Line 1 has U+202E RIGHT-TO-LEFT OVERRIDE.",
        ),
    ],
    ids=str,
)
def test_a_publisher_that_says_too_little_is_refused(add, fields, error):
    response = add(**fields)

    assert response.status_code == 200
    assert errors_in(response) == [error]
    assert not Publisher.objects.exists()


@pytest.mark.contract("31.1")
def test_issuer_project_and_environment_are_unique(add):
    add()

    assert errors_in(add(agent="caller")) == [
        "A publisher has this issuer, project and environment."
    ]
    assert add(environment="release").status_code == 302


@pytest.mark.contract("31.1")
def test_a_publisher_is_changed_and_deleted(add, admin_client, agent):
    add()
    publisher = Publisher.objects.get()
    page = f"{LIST}{publisher.pk}/change/"

    form = untouched_form(admin_client.get(page), "publisher_form")
    assert "agent" not in form
    changes = {"agent": "other", "ref": "", "ref_type": "", "any_branch": "on"}
    assert admin_client.post(page, form | changes).status_code == 302
    publisher.refresh_from_db()
    assert (publisher.agent, publisher.any_branch, publisher.ref) == (agent, True, "")

    assert admin_client.post(f"{LIST}{publisher.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not Publisher.objects.exists()


@pytest.mark.contract("31.1")
@pytest.mark.parametrize("role", ["Editors", "Moderators"])
def test_roles_do_not_manage_publishers(admin_client_of, role):
    admin_client = admin_client_of(role)

    assert {admin_client.get(page).status_code for page in (LIST, ADD)} == {403}


@pytest.mark.contract("31.14")
def test_without_submissions_there_are_none(admin_client, settings, publisher):
    settings.SUBMISSIONS = "off"
    row = f"{LIST}{publisher.pk}"

    for page in (LIST, ADD, f"{row}/change/", f"{row}/delete/"):
        assert admin_client.get(page).status_code == 403
    assert LIST not in admin_client.get("/admin/").content.decode()


@pytest.mark.contract("31.2")
@pytest.mark.usefixtures("publisher")
def test_the_page_shows_the_tokens_of_its_runs(admin_client, exchange, issuer):
    exchange(issuer.token())

    page = admin_client.get(f"{LIST}{Publisher.objects.get().pk}/change/").content.decode()

    assert "Run 15873202911 of acme/skills" in page
