"""Groups are looked at again every 15 minutes (contract 32.10)"""

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client

from audit.models import AuditEvent
from catalogue.models import Skill
from people.exceptions import INVALID, NO_GROUP
from people.models import Person, Provider, WayIn
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import SkillFactory
from tests.people.conftest import SIGN_IN, PersonBrowser

PAGE = "/admin/catalogue/skill/"
NO_SESSION = "The identity provider did not sign you in: login_required. Sign in again."


def prompt_of(response):
    return dict(parse_qsl(urlsplit(response["Location"]).query)).get("prompt")


@pytest.mark.contract("32.10")
def test_the_first_page_after_15_minutes_leads_there_and_back(provider, ada, age):
    age(ada, 890)
    assert ada.get(PAGE).status_code == 200
    age(ada, 10)
    provider.people["ada"]["groups"] = ["helpers"]

    led = ada.get(f"{PAGE}?q=pdf")

    assert prompt_of(led) == "none"
    back = ada.come_back(ada.lead(led))
    assert (back.status_code, back["Location"]) == (302, f"{PAGE}?q=pdf")
    assert ada.get(PAGE).status_code == 403
    assert ada.get("/admin/reviews/review/").status_code == 200


@pytest.mark.contract("32.10")
@pytest.mark.parametrize(
    ("person", "groups", "sentence"),
    [
        (None, ["writers"], NO_SESSION),
        ("ada", ["guests"], NO_GROUP),
    ],
    ids=["no session at the provider", "no group"],
)
def test_a_failure_ends_the_session(provider, ada, age, person, groups, sentence):
    age(ada)
    ada.person, provider.people["ada"]["groups"] = person, groups

    refused = ada.come_back(ada.lead(ada.get(PAGE)))

    assert (refused.status_code, refused.context["sentence"]) == (403, sentence)
    assert refused.context["again"] == f"{SIGN_IN}?next=%2Fadmin%2Fcatalogue%2Fskill%2F"
    assert refused.cookies["staff"].value == ""
    assert ada.get(PAGE)["Location"] == f"/admin/login/?next={PAGE}"


@pytest.mark.contract("32.10")
def test_an_invalid_answer_ends_the_session(provider, ada, age):
    age(ada)
    provider.changes = {"nonce": "another"}

    refused = ada.come_back(ada.lead(ada.get(PAGE)))

    assert (refused.status_code, refused.context["sentence"]) == (403, INVALID)
    assert ada.get(PAGE)["Location"] == f"/admin/login/?next={PAGE}"


@pytest.mark.contract("32.10")
def test_while_the_provider_is_down_the_session_opens_nothing(provider, ada, age):
    age(ada)
    provider.__exit__()
    Provider.objects.all().delete()

    for path in (PAGE, "/admin/", "/admin/second-factor/"):
        assert ada.get(path).status_code == 503
    assert ada.post("/admin/end-sessions/").status_code == 403
    assert "looked_at" in ada.session


@pytest.mark.contract("32.10", "32.12")
def test_while_the_provider_is_down_a_password_replaces_the_session(
    provider, ada, age, settings, superuser
):
    settings.OIDC_ONLY = True
    WayIn.objects.mark(User.objects.get(username="root"))
    ada.handler.enforce_csrf_checks = True
    age(ada)
    provider.__exit__()

    address = "/admin/login/?next=/admin/auth/user/"
    page = ada.get(address)
    form = untouched_form(page) | {"username": "root", "password": "right-password"}
    done = ada.post(address, form)

    assert (page.status_code, done.status_code) == (200, 302)
    assert done["Location"] == "/admin/auth/user/"
    assert ada.get("/admin/auth/user/").status_code == 200
    assert "looked_at" not in ada.session


@pytest.mark.contract("32.10")
def test_a_post_can_be_sent_again(provider, age):
    skill = SkillFactory(title="Before")
    browser = PersonBrowser(provider, "ada")
    browser.handler.enforce_csrf_checks = True
    browser.sign_in()
    page = change_page(skill)
    form = untouched_form(browser.get(page)) | {"title": "After"}
    age(browser)

    for headers in ({}, {"Sec-Fetch-Mode": "navigate"}, {"Sec-Fetch-Mode": "cors"}):
        answered = browser.post(page, form, headers=headers)
        assert answered.status_code == 403
        assert "Nothing was changed yet." in answered.content.decode()
    assert Skill.objects.get().title == "Before"
    browser.come_back(browser.lead(browser.get("/admin/")))

    assert browser.post(page, form).status_code == 302
    assert Skill.objects.get().title == "After"


@pytest.mark.contract("32.10")
def test_another_method_and_a_script_of_the_page(ada, age):
    age(ada)

    assert ada.delete(PAGE).status_code == 403
    assert ada.get(PAGE, headers={"Sec-Fetch-Mode": "cors"}).status_code == 403
    assert prompt_of(ada.head(PAGE)) == "none"


@pytest.mark.contract("32.10", "32.14")
def test_one_can_log_out_without_a_look(ada, age):
    age(ada)

    assert ada.post("/admin/logout/").status_code == 200

    assert ada.get(PAGE).status_code == 302


@pytest.mark.contract("32.10")
def test_somebody_else_at_the_provider_gets_a_session_of_their_own(provider, ada, age):
    age(ada)
    key = ada.session.session_key
    ada.person = "grace"

    assert ada.come_back(ada.lead(ada.get(PAGE))).status_code == 302

    assert Person.objects.get(user_id=ada.session["_auth_user_id"]).subject == "grace"
    assert not ada.session.exists(key)


@pytest.mark.contract("32.10", "32.11", "32.15")
@pytest.mark.parametrize("is_ended", [True, False], ids=["ended", "replaced by another tab"])
def test_a_look_revives_no_session_that_is_over(ada, age, is_ended):
    age(ada)
    address = ada.lead(ada.get(PAGE))
    if is_ended:
        Session.objects.all().delete()
    else:
        other = PersonBrowser(ada.provider, "ada")
        other.cookies["staff"] = ada.cookies["staff"].value
        other.come_back(other.lead(other.get("/admin/")))
    keys = {*Session.objects.values_list("pk", flat=True)}
    events = AuditEvent.objects.count()

    back = ada.come_back(address)

    assert (back.status_code, back["Location"], "staff" in back.cookies) == (302, PAGE, False)
    assert {*Session.objects.values_list("pk", flat=True)} == keys
    assert (len(keys), AuditEvent.objects.count()) == (0 if is_ended else 1, events)
    assert ada.get(PAGE)["Location"] == f"/admin/login/?next={PAGE}"


@pytest.mark.contract("32.10")
def test_a_look_that_fails_ends_no_session_of_a_password(provider, superuser, age, browser_of):
    browser = browser_of("ada")
    browser.sign_in()
    age(browser)
    address = browser.lead(browser.get(PAGE))
    # Meanwhile somebody has logged in with a password in this browser.
    browser.cookies["staff"] = superuser.cookies["staff"].value
    provider.changes = {"nonce": "another"}

    assert browser.come_back(address).status_code == 403

    assert superuser.get("/admin/").status_code == 200


@pytest.mark.contract("32.10")
def test_sessions_of_passwords_are_not_looked_at(superuser):
    assert superuser.get("/admin/").status_code == 200
    assert superuser.post("/admin/logout/").status_code == 200


@pytest.mark.contract("32.10")
def test_another_issuer_is_asked_at_once(ada, settings, provider):
    provider.__exit__()
    assert ada.get(PAGE).status_code == 200
    settings.OIDC_ISSUER = f"{provider.url}/another"

    assert ada.get(PAGE).status_code == 503


@pytest.mark.contract("32.1")
def test_without_the_provider_its_sessions_are_over(ada, settings):
    settings.OIDC_ISSUER, settings.ROOT_URLCONF = "", "marketplace.urls"
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
    later = Client()
    later.cookies["staff"] = ada.cookies["staff"].value

    assert later.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
    unknown = later.get("/admin/unknown")
    for path in (SIGN_IN, f"{SIGN_IN}/callback"):
        response = later.get(path)
        assert (response.status_code, unknown.status_code) == (302, 302)
        assert response["Location"] == f"/admin/login/?next={path}"
    assert "company account" not in later.get("/admin/login/").content.decode()
    assert User.objects.count() == 1
