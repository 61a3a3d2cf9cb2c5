"""Lists, searches, filters and row pages: what staff see, and how many queries it takes"""

from base64 import b32encode

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice

from agents.models import AgentToken, OperatorClaim, OperatorKey
from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.admin.rows import KEY, SEARCHES, change_page, first_of, make_rows, url_of
from tests.factories import PersonaFactory, SkillFactory, SkillInstallFactory, ask_for_code

MAX_QUERIES = 15


def open_pages(admin_client, urls):
    """How many queries each page takes, and its text."""
    counts, texts = {}, {}
    for url in urls:
        with CaptureQueriesContext(connection) as queries:
            page = admin_client.get(url)
        assert page.status_code == 200, url
        assert len(queries) <= MAX_QUERIES, (url, [query["sql"] for query in queries])
        counts[url], texts[url] = len(queries), page.content.decode()
    return counts, texts


def pages_of(model):
    """The addresses of the model's list, search and one change page."""
    changelist_url = url_of(model, "changelist")
    word, _ = SEARCHES[model]
    return [changelist_url, f"{changelist_url}?q={word}", change_page(first_of(model))]


def filters_of(changelist):
    """The list with one choice of each of its filters: the last one."""
    changelist_url = url_of(changelist.model, "changelist")
    word, _ = SEARCHES[changelist.model]
    for spec in changelist.filter_specs:
        *_, choice = spec.choices(changelist)
        typed = f"?{spec.expected_parameters()[0]}={word}"
        yield changelist_url + choice.get("query_string", typed)


def test_every_list_search_and_change_page_shows_its_rows(admin_client, subtests):
    make_rows(1, 2)
    for model, (word, text) in SEARCHES.items():
        with subtests.test(model._meta.label):
            for url in [url_of(model, "changelist"), f"{url_of(model, 'changelist')}?q={word}"]:
                page = admin_client.get(url)
                assert page.status_code == 200
                assert text in page.content.decode()

            page = admin_client.get(change_page(list(page.context["cl"].result_list)[-1]))
            assert page.status_code == 200
            assert text in page.content.decode()


def test_a_search_leaves_out_what_does_not_match(admin_client, subtests):
    make_rows(1, 1)
    for model in SEARCHES:
        with subtests.test(model._meta.label):
            page = admin_client.get(url_of(model, "changelist"), {"q": "nothing-has-this-in-it"})

            assert page.status_code == 200
            assert len(page.context["cl"].result_list) == 0


@pytest.mark.slow
def test_no_page_needs_more_queries_for_more_rows_or_shows_a_secret(admin_client, subtests):
    make_rows(1, 1)
    urls = [url for model in admin.site._registry for url in pages_of(model)]
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
        row.take_snapshot(reason="Snapshot before the change")
    few, texts = open_pages(admin_client, urls)
    make_rows(2, 16)
    secrets = shown_nowhere()

    many, more_texts = open_pages(admin_client, urls)
    lists = [admin_client.get(url_of(m, "changelist")).context["cl"] for m in admin.site._registry]
    filtered = [url for changelist in lists for url in filters_of(changelist)]
    histories = [url_of(m, "history", first_of(m).pk) for m in admin.site._registry]
    _, other_texts = open_pages(admin_client, [*filtered, *histories])

    with subtests.test("queries"):
        # What found nothing before needs a query more as soon as it finds anything.
        assert {url: (few[url], many[url]) for url in urls if many[url] > few[url] + 1} == {}
    with subtests.test("rows"):
        for changelist in lists:  # more than any page has queries
            assert len(changelist.result_list) > MAX_QUERIES, changelist.model
    with subtests.test("secrets"):
        assert all(secrets)
        for text in [*texts.values(), *more_texts.values(), *other_texts.values()]:
            assert not [secret for secret in secrets if secret in text]


def shown_nowhere():
    """Digests, the secret of a claim, and the key of a second factor."""
    factor = TOTPDevice.objects.create(user=User.objects.get(username="clerk-1"), name="App")
    token, claim = first_of(AgentToken), first_of(OperatorClaim)
    ask_for_code(claim.agent)
    return [
        *(token.digest, claim.secret, claim.code_digest, claim.codes.get().code_digest),
        *(factor.key, b32encode(factor.bin_key).decode(), KEY),
        *OperatorKey.objects.values_list("digest", flat=True),
    ]


def test_no_list_reads_the_long_texts_of_entries(admin_client, subtests):
    make_rows(1, 1)
    for model in (Skill, Persona, SkillInstall, PersonaInstall, Review):
        with subtests.test(model._meta.label):
            with CaptureQueriesContext(connection) as queries:
                assert admin_client.get(url_of(model, "changelist")).status_code == 200

            statements = "".join(query["sql"] for query in queries)
            assert '"slug"' in statements
            for column in Skill.LONG_COLUMNS:
                assert f'."{column}"' not in statements


def test_a_runtime_of_any_length_does_not_fill_the_list_of_installs(admin_client):
    install = SkillInstallFactory(runtime="r" * 60_000)

    listed = admin_client.get(url_of(SkillInstall, "changelist")).content.decode()

    assert "r" * 63 + "…" in listed
    assert "r" * 64 not in listed
    assert install.runtime in admin_client.get(change_page(install)).content.decode()


def test_the_history_of_every_row_opens(admin_client, subtests):
    make_rows(1, 1)
    for model in SEARCHES:
        with subtests.test(model._meta.label):
            url = url_of(model, "history", first_of(model).pk)
            assert admin_client.get(url).status_code == 200


def test_the_index_of_every_app_lists_its_models(admin_client, subtests):
    for app in {model._meta.app_label for model in SEARCHES}:
        with subtests.test(app):
            page = admin_client.get(reverse("admin:app_list", args=[app]))
            assert page.status_code == 200
            assert page.context["app_list"][0]["app_label"] == app


def test_the_dashboard_and_the_list_of_skills_to_bundle_open(admin_client):
    make_rows(1, 3)

    assert "Agent tokens" in admin_client.get("/admin/").content.decode()
    response = admin_client.get(
        "/admin/autocomplete/",
        {
            "app_label": "catalogue",
            "model_name": "persona",
            "field_name": "skills",
            "term": "pdf tables 2",
        },
    )
    # Titles hold numbers, too: others may begin with a 2.
    assert "pdf-tables-2" in [result["text"] for result in response.json()["results"]]


def test_a_filter_that_cannot_be_read_leads_back_to_the_list(admin_client, subtests):
    make_rows(1, 2)
    for query in (
        "catalogue/skill/?status__exact=%00",
        "catalogue/skill/?e=1&status__exact=%00",
        "catalogue/persona/?category=%00",
        "agents/agent/?tier=%00",
        "agents/agent/?created_at__year=99999999999",
        "reviews/review/?created_at__year=99999999999",
    ):
        with subtests.test(query):
            response = admin_client.get(f"/admin/{query}")

            assert response.status_code in {200, 302}
            if response.status_code == 302:
                assert response["Location"] == f"/admin/{query.partition('?')[0]}?e=1"


@pytest.mark.parametrize("query", ["skill/?status=%00", "skill/?tag=%00", "persona/?tag=%00"])
def test_an_action_on_a_list_whose_filter_cannot_be_read_does_nothing(admin_client, query):
    row = SkillFactory() if query.startswith("skill") else PersonaFactory()
    fields = {"action": "withdraw", "_selected_action": row.pk, "confirmed": "yes"}

    response = admin_client.post(f"/admin/catalogue/{query}", fields)

    path = f"/admin/catalogue/{query.partition('?')[0]}"
    assert (response.status_code, response["Location"]) == (302, f"{path}?e=1")
    assert type(row).objects.get().status == "published"


def test_an_error_that_is_not_the_filters_fault_is_no_endless_redirect(admin_client, monkeypatch):
    def broken(*_):
        raise ValueError("broken")

    monkeypatch.setattr("catalogue.admin.entries.SkillAdmin.get_queryset", broken)

    with pytest.raises(ValueError, match="broken"):
        admin_client.get("/admin/catalogue/skill/?e=1")


def test_a_search_says_how_to_end_it(admin_client):
    SkillInstallFactory.create_batch(2)
    url = url_of(Skill, "changelist")

    link = '<a href="?">Clear the search and the filters</a>'
    assert link in admin_client.get(f"{url}?q=skill").content.decode()
    assert link not in admin_client.get(url).content.decode()


@pytest.mark.parametrize("more", [(), ("add_skill",)])
def test_a_list_says_in_words_how_to_add_a_row(clerk_with, more):
    page = clerk_with("view_skill", *more).get(url_of(Skill, "changelist")).content.decode()

    assert ('href="/admin/catalogue/skill/add/">Add skill</a>' in page) == bool(more)


@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory], ids=["skill", "persona"])
def test_a_list_begins_with_the_newest_change_and_sorts_by_columns(admin_client, make, monkeypatch):
    first, second = make(slug="a", author="Zoe", status="draft"), make(slug="b", author="Ada")
    first.save()
    url = url_of(type(first), "changelist")

    def listed(query=""):
        changelist = admin_client.get(url + query).context["cl"]
        return list(changelist.result_list), changelist

    rows, changelist = listed()
    author = changelist.list_display.index("author")
    assert rows == [first, second]
    assert list(changelist.get_ordering_field_columns().values()) == ["desc"]
    assert listed(f"?o={author}")[0] == [second, first]
    assert listed(f"?o=-{author}")[0] == [first, second]
    assert "author" in changelist.sortable_by

    # A large table has the order of an index.
    monkeypatch.setattr("marketplace.adminsite.base.MAX_SORTED", -2)
    rows, changelist = listed()
    assert (rows, changelist.sortable_by) == ([second, first], [])
    assert "updated_at" in listed("?status__exact=published")[1].sortable_by
