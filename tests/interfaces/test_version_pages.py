"""The versions of an entry on the website: all of them, and the text of one (contract 25)."""

import pytest
from django.utils import timezone

from catalogue.models import Persona
from infrastructure.http_cache.store import cached_responses
from tests.api.versions import rewrite
from tests.interfaces.pages import links, text_of, visible
from tests.interfaces.two_versions import persona_of_two_versions, skill_of_two_versions

pytestmark = pytest.mark.django_db(transaction=True)

VERSIONS = "/skills/pdf-tables/versions"


@pytest.fixture
def skill():
    return skill_of_two_versions()


@pytest.fixture
def persona():
    return persona_of_two_versions()


@pytest.mark.usefixtures("skill", "persona")
@pytest.mark.parametrize("path", ["/skills/pdf-tables", "/personas/archivist"])
def test_an_entry_links_its_versions(anyone, path):
    page = text_of(anyone.get(path))

    assert f'<dt>Version</dt><dd><a href="{path}/versions">2</a></dd>' in page


@pytest.mark.contract("25.15")
@pytest.mark.usefixtures("skill")
def test_all_versions_are_listed_newest_first(anyone):
    page = anyone.get(VERSIONS)

    assert "<title>Versions of PDF &lt;i&gt;tables&lt;/i&gt; · Agent Marketplace" in text_of(page)
    assert "Versions 2 versions. A published version never changes." in visible(page)
    hrefs = [link for link in links(page) if link.startswith(f"{VERSIONS}/") and "?" not in link]
    assert hrefs == [f"{VERSIONS}/2", f"{VERSIONS}/1"]
    assert page.headers["Cache-Control"] == "public, no-cache"


def test_a_recalled_version_shows_its_reason_and_no_link(anyone, skill):
    before = text_of(anyone.get(VERSIONS))
    skill.versions.filter(number=1).update(
        recalled_at=timezone.now(), recall_reason="It <b>deletes</b> files."
    )

    page = anyone.get(VERSIONS)

    assert "recalled" not in before
    assert "recalled: It <b>deletes</b> files." in visible(page)
    assert f"{VERSIONS}/1" not in links(page)
    assert "It <b>deletes</b> files." in visible(anyone.get(f"{VERSIONS}/1"), 410)


def test_many_versions_have_pages(anyone, skill):
    for number in range(3, 24):
        rewrite(skill, f"Text {number}")

    first = anyone.get(VERSIONS)
    [older] = [link for link in links(first) if "cursor=" in link]
    second = anyone.get(older)

    def numbers(page):
        return [
            int(link.rpartition("/")[2])
            for link in links(page)
            if link.startswith(f"{VERSIONS}/") and "?" not in link
        ]

    assert numbers(first) + numbers(second) == [*range(23, 0, -1)]


@pytest.mark.usefixtures("skill")
def test_a_version_shows_its_text_and_files(anyone):
    page = anyone.get(f"{VERSIONS}/1")

    text = visible(page)
    assert (
        "Earlier version. This is version 1. Read the current one or see what has changed since ."
        in text
    )
    assert ">First</h2>" in text_of(page)
    assert "<script>alert(1)" not in text_of(page)
    assert "Second" not in text
    for link in ("SKILL.md", "files/scripts/run.py", "archive.zip"):
        assert f"/api/v1{VERSIONS}/1/{link}" in links(page)
    assert "Earlier version." not in visible(anyone.get(f"{VERSIONS}/2"))


@pytest.mark.contract("25.15")
@pytest.mark.usefixtures("skill")
def test_a_version_says_how_to_install_it_and_no_other(anyone, persona, settings):
    page = visible(anyone.get(f"{VERSIONS}/1"))

    for line in (
        "Install version 1 npx npx skills add http://testserver/git/skills/pdf-tables.git#v1",
        "For Cursor or VS Code alone, add --agent cursor or --agent github-copilot .",
        "git clone --branch v1 http://testserver/git/skills/pdf-tables.git",
        'install_skill {"slug": "pdf-tables", "version": 1}',
        """-d '{"slug": "pdf-tables", "version": 1}'""",
    ):
        assert line in page
    of_persona = visible(anyone.get("/personas/archivist/versions/2"))
    assert 'install_persona {"slug": "archivist", "version": 2}' in of_persona
    assert "git clone" not in of_persona
    settings.GIT = False
    cached_responses.clear()
    assert "/git/" not in visible(anyone.get(f"{VERSIONS}/1"))
    Persona.objects.filter(pk=persona.pk).update(price_cents=500)
    assert "install_persona" not in visible(anyone.get("/personas/archivist/versions/2"))


def test_no_page_shows_the_prompt_of_a_priced_persona(anyone, persona):
    path = "/personas/archivist/versions/1"
    assert "You are one." in visible(anyone.get(path))

    Persona.objects.filter(pk=persona.pk).update(price_cents=500)

    page = visible(anyone.get(path))
    assert "You are one." not in page
    assert "The prompt of a paid persona is not public." in page


@pytest.mark.usefixtures("skill", "persona")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"{VERSIONS}/3", "Version not found"),
        (f"{VERSIONS}/one", "Version not found"),
        ("/skills/no-such/versions", "Skill not found"),
        ("/skills/no-such/versions/1", "Skill not found"),
        ("/personas/no-such/versions", "Persona not found"),
        (f"{VERSIONS}?limit=0", "limit must be a whole number from 1 to 100"),
    ],
)
def test_the_page_of_an_unknown_version_says_so(anyone, path, text):
    page = anyone.get(path)

    assert text in visible(page, 400 if "limit" in path else 404)


def test_a_page_is_as_fresh_as_its_entry(anyone, skill):
    etag = anyone.get(f"{VERSIONS}/2").headers["ETag"]
    assert anyone.get(f"{VERSIONS}/2", headers={"If-None-Match": etag}).status_code == 304

    rewrite(skill, "# Third")

    assert "This is version 2." in visible(anyone.get(f"{VERSIONS}/2"))
    skill.withdraw()
    assert "Skill not found" in visible(anyone.get(VERSIONS), 404)
