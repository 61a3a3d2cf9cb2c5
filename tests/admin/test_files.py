"""The files of a skill in the admin, of a draft too: to read, escaped, or to download"""

import pytest

from tests.factories import SkillFactory

FILES = {"references/x.html": b"<script>alert(1)</script>", "z.bin": b"\0\xff"}


@pytest.fixture
def page_of_files(db):
    skill = SkillFactory(slug="pdf", status="draft", files=FILES)
    return f"/admin/catalogue/skill/{skill.pk}/files"


def test_the_page_of_a_skill_lists_them_with_their_sizes(admin_client, page_of_files):
    page = admin_client.get(page_of_files.replace("files", "change/")).content.decode()

    assert f'<a href="{page_of_files}/references/x.html">x.html</a>' in page
    assert f'<a href="{page_of_files}/z.bin">z.bin</a> <span>2\xa0bytes</span>' in page


def test_a_text_is_shown_escaped(admin_client, page_of_files):
    response = admin_client.get(f"{page_of_files}/references/x.html")

    assert response.status_code == 200
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in response.content.decode()
    assert "<script>alert(1)" not in response.content.decode()


@pytest.mark.parametrize("path", FILES)
def test_any_file_is_downloaded_and_never_shown_by_the_browser(admin_client, page_of_files, path):
    response = admin_client.get(f"{page_of_files}/{path}?download")

    assert b"".join(response.streaming_content) == FILES[path]
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_another_file_is_no_text(admin_client, page_of_files):
    assert "This file is not text." in admin_client.get(f"{page_of_files}/z.bin").content.decode()


def test_a_missing_file_is_not_found(admin_client, page_of_files):
    assert admin_client.get(f"{page_of_files}/none").status_code == 404
    assert admin_client.get("/admin/catalogue/skill/0/files/z.bin").status_code == 404


def test_only_who_may_see_skills_sees_them(client, django_user_model, page_of_files):
    staff = django_user_model.objects.create_user("staff", password="x", is_staff=True)
    client.force_login(staff)

    assert client.get(f"{page_of_files}/z.bin").status_code == 403
