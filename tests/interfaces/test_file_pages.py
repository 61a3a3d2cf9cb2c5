"""The files of a skill on the website: a tree on its page, and a page for each"""

import re

import pytest

from infrastructure.http_cache.store import cached_responses
from tests.factories import SkillFactory

FILES = {
    "LICENSE": b"MIT",
    "references/a b/#1.md": b"# One",
    "references/two.html": b"<script>alert(1)</script>",
    "scripts/run.py": "print('é')\n".encode(),
    "logo.svg": b"<svg onload='alert(1)'/>",
    "z.bin": b"\0\xff",
}
PAGE = "/skills/pdf"


@pytest.fixture(autouse=True)
def skill(db):
    return SkillFactory(slug="pdf", title="PDF", files=FILES)


def test_the_page_shows_the_tree_with_sizes(anyone):
    page = anyone.get(f"{PAGE}/files").content.decode()

    for link in (
        '<a href="/skills/pdf/files" aria-current="page">Files <span>7</span></a>',
        '<li><a href="/skills/pdf">SKILL.md</a></li>',
        '<a href="/skills/pdf/files/LICENSE">LICENSE</a> <span>3\xa0bytes</span>',
        '<a href="/skills/pdf/files/references/a%20b/%231.md">#1.md</a>',
        '<a href="/skills/pdf/files/scripts/run.py">run.py</a>',
        'href="/api/v1/skills/pdf/archive.zip"',
    ):
        assert link in page
    assert page.index(">references/") < page.index(">a b/") < page.index(">two.html</a>")


def test_a_skill_without_files_has_no_tree(anyone):
    SkillFactory(slug="bare")

    assert "/skills/bare/files" not in anyone.get("/skills/bare").content.decode()


@pytest.mark.contract("17.12")
@pytest.mark.parametrize(
    ("path", "markup"),
    [
        ("references/a%20b/%231.md", "# One"),
        ("references/two.html", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("logo.svg", "&lt;svg onload=&#x27;alert(1)&#x27;/&gt;"),
        ("scripts/run.py", "print(&#x27;é&#x27;)"),
    ],
)
def test_a_text_is_shown_escaped_and_never_rendered(anyone, path, markup):
    response = anyone.get(f"{PAGE}/files/{path}")

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert markup in re.sub(r"</?span[^>]*>", "", response.content.decode())
    assert f'href="/api/v1/skills/pdf/files/{path}"' in response.content.decode()
    assert "alert(1)</script>" not in response.content.decode()


@pytest.mark.contract("17.12")
def test_another_file_is_only_to_download(anyone):
    page = anyone.get(f"{PAGE}/files/z.bin").content.decode()

    assert "This is a binary file. Download it to view it." in page
    assert 'href="/api/v1/skills/pdf/files/z.bin"' in page
    assert '<meta property="og:description" content="A file of the skill PDF">' in page


@pytest.mark.contract("17.12")
def test_a_large_text_is_only_to_download(anyone, admin_client):
    skill = SkillFactory(slug="large", files={"a.py": b"a" * (1024 * 1024 + 1)})
    page = anyone.get("/skills/large/files/a.py").content.decode()
    staff_page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/files/a.py").content.decode()

    assert "This is a large file. Download it to view it." in page
    assert "This file is too large to show." in staff_page
    assert len(page) + len(staff_page) < 200_000


@pytest.mark.parametrize("path", ["pdf/files/none", "none/files", "none/files/LICENSE"])
def test_a_missing_file_is_a_page_with_404(anyone, path):
    response = anyone.get(f"/skills/{path}")

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")


def test_no_file_is_held_in_the_cache_of_responses(anyone):
    cached_responses.clear()
    paths = [f"{PAGE}/files/LICENSE", "/api/v1/skills/pdf/files/LICENSE"]

    for path in [*paths, "/api/v1/skills/pdf/archive.zip"]:
        assert anyone.get(path).status_code == 200

    assert len(cached_responses) == 0
    assert anyone.get(paths[0], headers={"If-None-Match": "*"}).status_code == 304


def test_a_relative_link_of_the_text_leads_to_the_file(anyone):
    links = "[a](references/two.html) [b](./LICENSE) [c](https://x.org/y) [d](#top) [e](/skills)"
    SkillFactory(slug="linked", content=f"---\nname: linked\n---\n{links}", files=FILES)
    SkillFactory(slug="bare", content="[a](LICENSE)")

    page = anyone.get("/skills/linked").content.decode()

    for href in (
        *("/skills/linked/files/references/two.html", "/skills/linked/files/./LICENSE"),
        *("https://x.org/y", "#text-top", "/skills"),
    ):
        assert f'<a href="{href}" rel=' in page
    assert '<a href="LICENSE" rel=' in anyone.get("/skills/bare").content.decode()
