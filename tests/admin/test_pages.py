"""The parts that apps register for an admin's pages: in any order, each for those who may use it"""

import re

import pytest
from django.contrib import admin

from marketplace.adminsite.base import ACTION_PAGE, StaffModelAdmin

SKILLS = "/admin/catalogue/skill/"
SAMPLES = {"int": "7", "slug": "word", "path": "word"}
ADMINS = [
    model_admin
    for model_admin in admin.site._registry.values()
    if isinstance(model_admin, StaffModelAdmin)
]


@pytest.mark.parametrize("model_admin", ADMINS, ids=str)
def test_no_page_hides_another_whatever_their_order(model_admin):
    pages = [*model_admin.pages, ACTION_PAGE]
    patterns = [page.path(model_admin) for page in pages]

    for page in pages:
        address = re.sub(r"<(\w+):\w+>", lambda match: SAMPLES[match[1]], page.route)
        matches = [pattern.name for pattern in patterns if pattern.resolve(address)]
        assert matches == [model_admin.url_name(page.name)]


@pytest.mark.parametrize(
    ("permissions", "buttons", "status"),
    [
        (["view_skill"], ["Tags", "Export all"], 403),
        (["view_skill", "change_skill"], ["Tags", "Export all"], 403),
        (["add_skill", "change_skill"], ["Tags", "Import", "Export all"], 200),
    ],
)
def test_a_button_is_for_those_who_may_open_its_page(clerk_with, permissions, buttons, status):
    clerk = clerk_with(*permissions)

    page = clerk.get(SKILLS).content.decode()

    assert re.findall(r'<a class="staff-button" href="[^"]*">([^<]*)</a>', page) == buttons
    assert clerk.get(f"{SKILLS}import/").status_code == status


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("catalogue/skill", ["Catalogue", "Skills"]),
        ("submissions/submission", ["Submissions"]),
    ],
)
def test_an_app_that_is_called_like_its_list_is_named_once(admin_client, path, names):
    page = admin_client.get(f"/admin/{path}/").content.decode()

    assert re.findall(r'tracking-tight">\s*([^<]*?)\s*</', page)[: len(names) + 1] == names
