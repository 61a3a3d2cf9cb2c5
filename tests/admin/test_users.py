"""A superuser gives a user a role, which is a group, in one choice"""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from tests.admin.rows import change_page
from tests.browser import untouched_form

ADD = "/admin/auth/user/add/"


@pytest.fixture
def user(db):
    return User.objects.create_user("ada")


def choices(admin_client, user):
    page = admin_client.get(change_page(user))
    return page.context["adminform"].form.fields["role"].choices


def key_of(role):
    return str(Group.objects.get(name=role).pk)


def edit(admin_client, user, **fields):
    url = change_page(user)
    response = admin_client.post(url, untouched_form(admin_client.get(url)) | fields)
    assert response.status_code == 302
    user.refresh_from_db()


def rights(user):
    return user.is_staff, [group.name for group in user.groups.all()], user.is_superuser


def test_the_roles_are_the_groups_that_exist(admin_client, user):
    Group.objects.create(name="Translators")

    offered = [name for _, name in choices(admin_client, user)]

    assert offered == ["None", "Editors", "Moderators", "Translators"]


def test_a_role_is_exactly_one_group_and_the_log_in(admin_client, user):
    edit(admin_client, user, role=key_of("Editors"))
    assert rights(user) == (True, ["Editors"], False)
    browser = Client()
    browser.force_login(user)
    assert browser.get("/admin/catalogue/skill/").status_code == 200
    assert browser.get("/admin/reviews/review/").status_code == 403

    edit(admin_client, user, role=key_of("Moderators"))
    assert rights(user) == (True, ["Moderators"], False)

    edit(admin_client, user, role="")
    assert rights(user) == (False, [], False)
    assert browser.get("/admin/").status_code == 302


def test_no_page_lists_the_permissions(admin_client, user):
    for url in (ADD, change_page(user)):
        page = admin_client.get(url).content.decode()
        assert "Can add" not in page
        assert 'name="role"' in page


def test_a_new_user_has_a_role_at_once(admin_client):
    form = untouched_form(admin_client.get(ADD))
    password = "a-long-enough-passphrase"
    new = {"username": "grace", "password1": password, "password2": password}

    response = admin_client.post(ADD, form | new | {"role": key_of("Moderators")})

    assert response.status_code == 302
    assert rights(User.objects.get(username="grace")) == (True, ["Moderators"], False)


def test_individual_permissions_stay_until_a_role_is_chosen(admin_client, user):
    user.groups.set(Group.objects.filter(name__in=["Editors", "Moderators"]))
    user.user_permissions.add(Permission.objects.get(codename="view_user"))
    User.objects.filter(pk=user.pk).update(is_staff=True)
    assert choices(admin_client, user)[0] == (
        "several",
        "Unchanged: several roles, or individual permissions",
    )

    edit(admin_client, user, first_name="Ada")
    assert (user.first_name, user.groups.count(), user.user_permissions.count()) == ("Ada", 2, 1)

    edit(admin_client, user, role=key_of("Editors"))
    assert rights(user) == (True, ["Editors"], False)
    assert user.user_permissions.count() == 0


def test_a_superuser_needs_no_role_and_stays_one(admin_client, user):
    edit(admin_client, user, is_superuser="on")
    assert rights(user) == (True, [], True)

    edit(admin_client, user, email="ada@example.com")
    assert rights(user) == (True, [], True)


def test_only_a_superuser_makes_a_superuser(admin_client_of, user):
    clerk = admin_client_of("Editors")
    User.objects.get(username="Editors").user_permissions.add(
        *Permission.objects.filter(codename__in=["view_user", "change_user"])
    )

    edit(clerk, user, is_superuser="on", last_name="Byron")

    assert (user.is_superuser, user.last_name) == (False, "Byron")


def test_only_a_superuser_changes_a_superuser(admin_client_of, user):
    clerk = admin_client_of("Editors")
    User.objects.get(username="Editors").user_permissions.add(
        *Permission.objects.filter(content_type__model="user")
    )
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    page, new = change_page(user), "a-long-enough-passphrase"
    passwords = {"password1": new, "password2": new, "usable_password": "true"}

    assert clerk.get(page).status_code == 200
    assert clerk.post(page, {"email": "eve@example.com"}).status_code == 403
    assert clerk.post(page.replace("change", "password"), passwords).status_code == 403
    assert clerk.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403
    selected = {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"}
    assert clerk.post("/admin/auth/user/", selected).status_code == 403

    user.refresh_from_db()
    assert (user.email, user.check_password(new)) == ("", False)
