"""Staff read what a role allows, and whom to ask for what it does not allow"""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from reports.models import Case, Report
from reviews.models import Review
from tests.admin.actions import take_action, told
from tests.admin.rows import change_page, url_of
from tests.browser import untouched_form
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

ADD = "/admin/auth/user/add/"
MODERATORS = (
    "Change agent tokens, agents, cases, invitations, operators and reviews. "
    "View operator claims, persona installs, reports, skill installs and submissions."
)


def text_of(response):
    """The words of a page, with single spaces."""
    return " ".join(unescape(re.sub("<[^>]+>", " ", response.content.decode())).split())


def case_about(target):
    Report.objects.submit(AgentFactory(), target, reason="spam")
    return Case.objects.latest("pk")


def staff(name, role):
    user = User.objects.create_user(name, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def browser_of(user):
    client = Client()
    client.force_login(user)
    return client


def offered(client, case):
    page = client.get(url_of(Case, "do", case.pk, "assign"))
    return [user.username for user in page.context["form"].fields["assignee"].queryset]


def test_the_form_of_a_user_says_what_each_role_allows(admin_client):
    Group.objects.create(name="Readers").permissions.add(
        Permission.objects.get(codename="view_skill")
    )
    user = User.objects.create_user("grace")

    for page in (admin_client.get(ADD), admin_client.get(change_page(user))):
        text = text_of(page)
        assert f"Moderators : {MODERATORS}" in text
        assert "Editors : Add, change and delete personas and skills. Change cases and" in text
        assert "Readers : View skills." in text
        assert "Changing skills and personas includes publishing and recalling them." in text


def test_the_dashboard_says_what_ones_own_role_allows(admin_client, admin_client_of, clerk_with):
    moderator, plain = admin_client_of("Moderators"), clerk_with("view_skill", "change_skill")

    assert f"Your role is Moderators. {MODERATORS}" in text_of(moderator.get("/admin/"))
    assert "Your role is superuser. You may do everything." in text_of(admin_client.get("/admin/"))
    page = text_of(plain.get("/admin/"))
    assert "Change skills." in page
    assert "Your role is" not in page


def test_a_user_without_a_role_is_named_when_saved(admin_client):
    password = "a-long-enough-passphrase"
    fields = {"username": "grace", "password1": password, "password2": password}
    warning = "grace has no role, and so cannot log in here."

    added = admin_client.post(ADD, untouched_form(admin_client.get(ADD)) | fields, follow=True)
    assert warning in told(added)

    page = change_page(User.objects.get(username="grace"))
    form = untouched_form(admin_client.get(page))
    assert warning in told(admin_client.post(page, form | {"email": "g@example.com"}, follow=True))
    role = {"role": str(Group.objects.get(name="Editors").pk)}
    assert warning not in told(admin_client.post(page, form | role, follow=True))
    superuser = form | {"is_superuser": "on"}
    assert warning not in told(admin_client.post(page, superuser, follow=True))


def test_a_case_is_assigned_to_people_who_can_act_on_it(ada, db):
    case = case_about(SkillFactory())
    staff("grace", "Editors"), staff("mo", "Moderators")
    User.objects.create_user("idle", is_staff=True)
    User.objects.create_user("left", is_staff=True, is_superuser=True, is_active=False)
    reader = User.objects.create_user("reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_case"))

    assert offered(ada, case) == ["ada", "grace", "mo"]
    refused = take_action(ada, "assign", case, assignee=reader.pk)
    assert "Select a valid choice." in refused.content.decode()
    assert not case.assignments.exists()


def test_one_who_may_not_decide_a_case_sees_whom_to_hand_it_to(ada, db):
    editor, moderator = staff("grace", "Editors"), staff("mo", "Moderators")
    review(AgentFactory(), PersonaFactory(), 1)
    about_skill, about_review = case_about(SkillFactory()), case_about(Review.objects.get())

    page = text_of(browser_of(moderator).get(change_page(about_skill)))
    assert "You may not recall this skill. Assign the case to somebody who may: ada, grace." in page
    page = text_of(browser_of(editor).get(change_page(about_review)))
    assert "You may not hide this review. Assign the case to somebody who may: ada, mo." in page
    for client, case in [
        (browser_of(editor), about_skill),
        (browser_of(moderator), about_review),
        (ada, about_skill),
    ]:
        assert "You may not" not in text_of(client.get(change_page(case)))
    take_action(browser_of(moderator), "assign", about_skill, assignee=editor.pk)
    assert about_skill.assignments.get().assignee == editor


def test_a_permission_to_view_cases_names_nobody(clerk_with):
    case = case_about(SkillFactory())

    assert "You may not" not in text_of(clerk_with("view_case").get(change_page(case)))


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_page_that_a_role_does_not_allow_is_refused_in_the_admins_frame(admin_client_of, method):
    moderator = admin_client_of("Moderators")
    skill = SkillFactory()

    for path in (change_page(skill), url_of(User, "changelist"), url_of(Case, "add")):
        response = getattr(moderator, method)(path)

        assert (response.status_code, response["Cache-Control"]) == (403, "no-store")
        text = text_of(response)
        assert f"Your role does not allow this Your role is Moderators. {MODERATORS}" in text
        assert '<a class="staff-link" href="/admin/">' in response.content.decode()
        assert url_of(Review, "changelist") in response.content.decode()  # the menu
        assert skill.title not in text


def test_a_form_that_cannot_be_verified_is_refused_in_the_admins_frame(admin_client_of):
    moderator = admin_client_of("Moderators")
    moderator.handler.enforce_csrf_checks = True
    page = change_page(SkillFactory())

    for path, is_framed in ((page, True), ("/admin/login/", True), ("/operator", False)):
        response = moderator.post(path)

        assert response.status_code == 403
        assert "We could not verify this form" in text_of(response)
        assert (url_of(Review, "changelist") in response.content.decode()) == is_framed  # the menu
    moderator.cookies.clear()
    assert url_of(Review, "changelist") not in moderator.post(page).content.decode()
