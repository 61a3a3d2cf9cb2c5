"""An operator installs skills and personas, and activates a persona (contract 19.6)"""

import re

import pytest

from installs.models import PersonaInstall, SkillInstall
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.operators.test_console import text_of

HOME = "/operator/agents/caller"
MANIFEST = "/api/v1/agents/me/manifest"
GONE = {
    "skill": "No published skill has this slug.",
    "persona": "No published persona has this slug.",
}
KINDS = pytest.mark.parametrize("kind", GONE)


def make(kind, **values):
    return (SkillFactory if kind == "skill" else PersonaFactory)(slug="added", **values)


def install(console, kind, **fields):
    return console.submit(f"{HOME}/install-{kind}", **fields)


def active(client):
    persona = client.get(MANIFEST).json()["activePersona"]
    return persona and persona["slug"]


@pytest.mark.contract("19.6")
@KINDS
def test_the_agent_has_it_and_it_counts(console, client, kind):
    entry = make(kind)

    assert install(console, kind, slug="added").status_code == 302

    own = client.get(f"/api/v1/agents/me/{kind}s").json()["results"]
    assert [(row["slug"], row["pinned"]) for row in own] == [("added", False)]
    entry.refresh_from_db()
    assert getattr(entry, entry.POPULARITY) == 1


@KINDS
def test_installing_an_unpublished_entry_is_refused(console, kind, apart):
    (SkillFactory if kind == "skill" else PersonaFactory)(slug="draft", status="draft")

    for slug in ["unknown", "draft", "No Slug", "x" * 101, "a\0b", ""]:
        with apart(slug):
            page = install(console, kind, slug=slug)

            assert page.status_code == 400
            assert "Nothing has been changed." in page.content.decode()
            assert not SkillInstall.objects.exists()
            assert not PersonaInstall.objects.exists()


@KINDS
def test_the_refusal_says_why(console, agent, kind):
    assert GONE[kind] in install(console, kind, slug="added").content.decode()
    factory = SkillInstallFactory if kind == "skill" else PersonaInstallFactory
    factory(agent=agent, **{f"{kind}__slug": "added"})
    before = agent.history.count()

    page = install(console, kind, slug="added")

    assert page.status_code == 400
    assert f"The agent already has this {kind}." in page.content.decode()
    assert agent.history.count() == before


def test_a_priced_persona_is_refused(console):
    make("persona", price_cents=500)

    page = install(console, "persona", slug="added")

    assert page.status_code == 400
    assert "This persona is not free, so it cannot be installed." in page.content.decode()


@pytest.mark.contract("19.6")
@KINDS
@pytest.mark.parametrize("state", ["paused", "suspended"])
def test_a_stopped_agent_gets_nothing_new(console, agent, kind, state):
    make(kind)
    agent.pause() if state == "paused" else agent.suspend()

    page = install(console, kind, slug="added")

    assert page.status_code == 400
    assert (
        f"The agent is {state}. Only an active agent can get something new."
        in page.content.decode()
    )


def offered(page):
    """`{slug: what its button is}` of the entries to choose from, in the order of the page."""
    assert page.status_code in {200, 400}
    text = page.content.decode()
    return dict(re.findall(r'type="radio" name="slug" value="([\w-]+)" required ?(\w*)>', text))


@pytest.mark.contract("19.25")
@KINDS
def test_it_is_searched_as_on_the_site(console, agent, kind):
    counter = "downloads" if kind == "skill" else "installs"
    factory = SkillFactory if kind == "skill" else PersonaFactory
    for slug, words, count in [
        ("pdf-tables", "Tables of PDF files", 3),
        ("pdf-forms", "Forms", 9),
        ("csv", "Cleans CSV", 5),
    ]:
        factory(slug=slug, title=words, **{counter: count})
    factory(slug="pdf-draft", status="draft")
    PersonaFactory(slug="pdf-priced", price_cents=500, installs=99)
    installs = SkillInstallFactory if kind == "skill" else PersonaInstallFactory
    installs(agent=agent, **{kind: factory(slug="pdf-own")})
    path = f"{HOME}/install-{kind}"

    assert offered(console.get(path)) == {
        "pdf-forms": "",
        "csv": "",
        "pdf-tables": "",
        "pdf-own": "disabled",
    }
    found = offered(console.get(f"{path}?q=pdf+tables"))
    assert next(iter(found)) == "pdf-tables"
    assert "csv" not in found
    # A slug that is entered is chosen already.
    assert offered(console.get(f"{path}?q=pdf-tables"))["pdf-tables"] == "checked"
    assert "Most installed" not in text_of(console.get(f"{path}?q=pdf"))


@pytest.mark.contract("19.25")
@KINDS
def test_near_slugs_are_offered_where_none_matches(console, kind):
    make(kind)
    other = "persona" if kind == "skill" else "skill"
    (PersonaFactory if kind == "skill" else SkillFactory)(slug="archivist", title="Archivist")

    page = install(console, kind, slug="addde")

    assert page.status_code == 400
    assert offered(page) == {"added": ""}
    assert f"No {kind} matches" not in text_of(page, 400)  # the search corrects it
    (SkillFactory if kind == "skill" else PersonaFactory)(slug="statistics")
    page = install(console, kind, slug="sttistcs")
    assert offered(page) == {"statistics": ""}
    text = text_of(page, 400)
    assert f"Nothing has been changed. {kind.capitalize()} : {GONE[kind]}" in text
    assert f"No {kind} matches “sttistcs”. Nearest:" in text
    page = console.get(f"{HOME}/install-{kind}?q=archivist")
    assert offered(page) == {}
    assert f"There is a {other} Archivist ." in text_of(page)
    assert f'href="{HOME}/install-{other}?q=archivist"' in page.content.decode()
    assert ">Install</button>" not in page.content.decode()


def test_the_search_takes_any_words(console, agent, alone):
    for words in ("%00", "x" * 5000, "%27%22%3Cb%3E", "!!!", "%F0%9F%92%A9", agent.token.text):
        page = console.get(f"{HOME}/install-skill?q={words}")
        assert page.status_code == 200, words
        assert agent.token.text not in page.content.decode()
        assert '<b>"' not in page.content.decode()


def test_the_search_has_a_budget_of_statements(console, agent, django_assert_max_num_queries):
    for number in range(12):
        SkillFactory(slug=f"tables-{number}")

    for path, most in {"": 8, "?q=tables": 9, "?q=tabels": 9, "?q=nothing-like-it": 16}.items():
        with django_assert_max_num_queries(most):
            assert console.get(f"{HOME}/install-skill{path}").status_code == 200


def test_a_secret_is_not_written_back(console, agent):
    text = install(console, "skill", slug=agent.token.text).content.decode()

    assert "No published skill has this slug." in text
    assert agent.token.text not in text


def test_a_persona_is_installed_as_the_active_one(console, client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", is_active=True)
    make("persona")

    install(console, "persona", slug="added", activate="on")

    assert active(client) == "added"


@pytest.mark.contract("19.6")
def test_an_installed_persona_is_activated_in_place_of_the_other(console, client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="archivist", is_active=True)
    PersonaInstallFactory(agent=agent, persona__slug="scribe")
    text = console.get(HOME).content.decode()
    assert f"{HOME}/activate-persona/scribe" in text
    assert f"{HOME}/activate-persona/archivist" not in text

    console.submit(f"{HOME}/activate-persona/scribe")

    assert active(client) == "scribe"


def test_a_persona_of_a_paused_agent_is_activated_too(console, agent):
    install = PersonaInstallFactory(agent=agent, persona__slug="scribe")
    agent.pause()

    console.submit(f"{HOME}/activate-persona/scribe")

    install.refresh_from_db()
    assert install.is_active


def test_only_an_installed_published_persona_can_be_activated(console, agent):
    PersonaInstallFactory(agent=agent, persona__slug="gone").persona.withdraw()
    PersonaFactory(slug="other")

    for slug in ("gone", "other", "unknown"):
        assert console.get(f"{HOME}/activate-persona/{slug}").status_code == 404
