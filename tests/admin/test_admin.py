"""The admin's pages: what staff see, at what cost, and what they may not do there"""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import Agent, AgentToken, OperatorClaim
from catalogue.models import ImportRun, Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    review,
)

MODELS = [pytest.param(model, id=model._meta.label) for model in admin.site._registry]
WRITTEN_BY_THE_API = [Agent, AgentToken, OperatorClaim, SkillInstall, PersonaInstall, Review]
MAX_QUERIES = 15

# What a person types into the search box, and what the page then shows, for the first agent.
SEARCHES = {
    Agent: ("crawler-1", "crawler-1"),
    AgentToken: ("crawler-1", "crawler-1"),
    OperatorClaim: ("crawler-1", "crawler-1"),
    Skill: ("pdf-tables-1", "pdf-tables-1"),
    Persona: ("archivist-1", "archivist-1"),
    ImportRun: ("upload-1", "upload-1"),
    SkillInstall: ("pdf-tables-1", "crawler-1"),
    PersonaInstall: ("archivist-1", "crawler-1"),
    Review: ("archivist-1", "Useful."),
    User: ("clerk-1", "clerk-1"),
    Group: ("group-1", "group-1"),
}


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
        skill = SkillFactory(slug=f"pdf-tables-{number}", tags=["pdf", "tables"])
        skills.append(skill)
        persona = PersonaFactory(slug=f"archivist-{number}")
        SkillInstallFactory(agent=agent, skill=skill)
        review(agent, persona, 4, "Useful.")
        if number > 1:
            SkillInstallFactory(agent=agent, skill=skills[0])
            SkillInstallFactory(agent=first_of(Agent), skill=skill)
            review(agent, first_of(Persona), 4, "Useful.")
            review(first_of(Agent), persona, 4, "Useful.")
        AgentToken.objects.issue(Agent.objects.get(handle="crawler-1"))
        ImportRun.objects.create(name=f"upload-{number}.zip", kind="skill")
        User.objects.create(username=f"clerk-{number}")
        Group.objects.create(name=f"group-{number}")
    Persona.objects.get(slug="archivist-1").skills.set(skills)


def first_of(model):
    return model.objects.order_by("pk").first()


@pytest.fixture
def clerk_with(db):
    """The browser of staff with these permissions: `clerk_with("view_skill")`."""

    def clerk_with(*permissions):
        user = User.objects.create_user("clerk", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        assert user.user_permissions.count() == len(permissions)
        client = Client()
        client.force_login(user)
        return client

    return clerk_with


def queries_of(admin_client, url):
    with CaptureQueriesContext(connection) as queries:
        assert admin_client.get(url).status_code == 200, url
    assert len(queries) <= MAX_QUERIES, (url, [query["sql"] for query in queries])
    return len(queries)


def pages_of(model, admin_client):
    """The addresses of the model's list, search, filters and one change page."""
    list_query = url_of(model, "changelist")
    word, _ = SEARCHES[model]
    yield list_query
    yield f"{list_query}?q={word}"
    changelist = admin_client.get(list_query).context["cl"]
    for spec in changelist.filter_specs:
        for choice in spec.choices(changelist):
            typed = f"?{spec.expected_parameters()[0]}={word}"
            yield list_query + choice.get("query_string", typed)
    yield change_page(first_of(model))


@pytest.mark.parametrize("model", MODELS)
def test_every_list_search_and_change_page_shows_its_rows(admin_client, model):
    make_rows(1, 2)
    word, shown = SEARCHES[model]

    for url in [url_of(model, "changelist"), f"{url_of(model, 'changelist')}?q={word}"]:
        page = admin_client.get(url)
        assert page.status_code == 200
        assert shown in page.content.decode()

    page = admin_client.get(change_page(list(page.context["cl"].result_list)[-1]))
    assert page.status_code == 200
    assert shown in page.content.decode()


@pytest.mark.parametrize("model", MODELS)
def test_a_search_leaves_out_what_does_not_match(admin_client, model):
    make_rows(1, 1)

    page = admin_client.get(url_of(model, "changelist"), {"q": "nothing-has-this-in-it"})

    assert page.status_code == 200
    assert len(page.context["cl"].result_list) == 0


def test_no_page_needs_more_queries_for_more_rows(admin_client):
    make_rows(1, 1)
    urls = [url for model in admin.site._registry for url in pages_of(model, admin_client)]
    skill = first_of(Skill)
    urls += [
        "/admin/",
        *(
            f"{change_page(skill)[: -len('change/')]}{page}/"
            for page in ("as-agent", "do/withdraw")
        ),
        *(url_of(type(row), "history", row.pk) for row in [skill, first_of(Persona)]),
        f"{url_of(SkillInstall, 'changelist')}?skill__id__exact={skill.pk}",
    ]
    for row in [skill, first_of(Persona)]:
        row.keep_history(reason="As it was found")
    few = {url: queries_of(admin_client, url) for url in urls}
    make_rows(2, 14)

    many = {url: queries_of(admin_client, url) for url in urls}

    # A filter that found nothing before needs a query more as soon as it finds anything.
    assert {url: (few[url], many[url]) for url in urls if many[url] > few[url] + 1} == {}
    for model in admin.site._registry:
        assert len(admin_client.get(url_of(model, "changelist")).context["cl"].result_list) >= 14


def test_a_runtime_of_any_length_does_not_fill_the_list_of_installs(admin_client):
    install = SkillInstallFactory(runtime="r" * 60_000)

    listed = admin_client.get(url_of(SkillInstall, "changelist")).content.decode()

    assert "r" * 63 + "…" in listed
    assert "r" * 64 not in listed
    assert install.runtime in admin_client.get(change_page(install)).content.decode()


@pytest.mark.parametrize("model", MODELS)
def test_the_history_of_every_row_opens(admin_client, model):
    make_rows(1, 1)

    assert admin_client.get(url_of(model, "history", first_of(model).pk)).status_code == 200


def test_the_index_and_the_list_of_skills_to_bundle_open(admin_client):
    make_rows(1, 3)

    assert "Agent tokens" in admin_client.get("/admin/").content.decode()
    found = admin_client.get(
        "/admin/autocomplete/",
        {
            "app_label": "catalogue",
            "model_name": "persona",
            "field_name": "skills",
            "term": "pdf tables 2",
        },
    )
    # Titles hold numbers, too: others may begin with a 2.
    assert "pdf-tables-2" in [result["text"] for result in found.json()["results"]]


@pytest.mark.parametrize("model", WRITTEN_BY_THE_API)
def test_what_the_api_writes_cannot_be_added_by_hand(admin_client, model):
    url = url_of(model, "add")

    assert admin_client.get(url).status_code == 403
    assert admin_client.post(url, {"handle": "made-by-hand"}).status_code == 403
    assert url not in admin_client.get(url_of(model, "changelist")).content.decode()
    assert not model.objects.exists()


@pytest.mark.parametrize("model", [AgentToken, OperatorClaim, SkillInstall, PersonaInstall, Review])
def test_what_the_api_writes_cannot_be_edited_by_hand(admin_client, model):
    make_rows(1, 1)
    row, before = first_of(model), everything()

    answer = admin_client.post(
        change_page(row), {"comment": "Forged.", "runtime": "forged", "rating": 1}
    )

    assert answer.status_code == 403
    assert everything() == before


@pytest.mark.parametrize("model", [SkillInstall, PersonaInstall, Review, OperatorClaim])
def test_rows_that_counters_and_profiles_rest_on_cannot_be_deleted(admin_client, client_of, model):
    make_rows(1, 1)
    row = first_of(model)

    assert admin_client.post(url_of(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    admin_client.post(
        url_of(model, "changelist"),
        {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"},
    )

    assert model.objects.filter(pk=row.pk).exists()


def test_no_page_shows_a_digest_or_a_claim_secret(admin_client):
    make_rows(1, 1)
    token, claim = first_of(AgentToken), first_of(OperatorClaim)
    claim.request_code(name="Ada Lovelace", email="ada@example.com")
    secrets = [token.digest, claim.secret, claim.code_digest]
    assert all(secrets)

    for model in admin.site._registry:
        for url in [*pages_of(model, admin_client), url_of(model, "history", first_of(model).pk)]:
            text = admin_client.get(url).content.decode()
            assert not [secret for secret in secrets if secret in text], url


@pytest.mark.parametrize("model", MODELS)
def test_staff_without_permissions_see_nothing(clerk_with, model):
    make_rows(1, 1)
    clerk = clerk_with()

    assert "have permission to view or edit anything" in clerk.get("/admin/").content.decode()
    for page in ["changelist", "add"]:
        assert clerk.get(url_of(model, page)).status_code == 403
    for page in ["change", "delete", "history"]:
        assert clerk.get(url_of(model, page, first_of(model).pk)).status_code == 403


@pytest.mark.parametrize("model", MODELS)
def test_whoever_is_not_staff_is_asked_to_log_in(model):
    answer = Client().get(url_of(model, "changelist"))

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/admin/login/")


ACTIONS = [
    pytest.param(model, action, id=f"{model._meta.model_name}-{action}")
    for model, model_admin in admin.site._registry.items()
    for action in [*model_admin.actions, "delete_selected"]
]


@pytest.mark.parametrize("permissions", ["none", "view"])
@pytest.mark.parametrize(("model", "action"), ACTIONS)
def test_actions_need_the_permission_to_change(clerk_with, model, action, permissions):
    make_rows(1, 1)
    Skill.objects.update(status="draft")
    clerk = clerk_with(*([f"view_{model._meta.model_name}"] if permissions == "view" else []))
    before = everything()

    answer = clerk.post(
        url_of(model, "changelist"),
        {
            "action": action,
            "_selected_action": first_of(model).pk,
            "post": "yes",
            "confirmed": "yes",
            "reason": "Because.",
            "issue": "1",
            "scopes": ["read"],
        },
    )

    list(answer)  # reads an export to its end

    assert everything() == before


def everything():
    models = [*SEARCHES, Skill.personas.through]
    return {model: list(model.objects.order_by("pk").values()) for model in models}


@pytest.mark.parametrize(
    "query",
    [
        "catalogue/skill/?status__exact=%00",
        "catalogue/persona/?category=%00",
        "agents/agent/?tier=%00",
        "agents/agent/?created_at__year=99999999999",
        "reviews/review/?created_at__year=99999999999",
    ],
)
def test_a_filter_that_cannot_be_read_leads_back_to_the_list(admin_client, query):
    make_rows(1, 2)

    answer = admin_client.get(f"/admin/{query}")

    assert answer.status_code in {200, 302}
    if answer.status_code == 302:
        assert answer["Location"] == f"/admin/{query.partition('?')[0]}?e=1"


def test_an_error_that_is_not_the_filters_fault_is_no_endless_redirect(admin_client, monkeypatch):
    def broken(*_):
        raise ValueError("broken")

    monkeypatch.setattr("catalogue.admin.entries.SkillAdmin.get_queryset", broken)

    with pytest.raises(ValueError, match="broken"):
        admin_client.get("/admin/catalogue/skill/?e=1")
