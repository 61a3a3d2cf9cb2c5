"""Staff sign in with the company's identity provider (contract 32)"""

import time
from hashlib import sha256
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.core import signing

from infrastructure.server.headers import MAX_COOKIES
from marketplace.secrets import mask
from people.flow import SALT, Flow
from people.models import Person, Provider
from tests.people.conftest import CALLBACK, SIGN_IN

NEVER = "max-age=0, no-cache, no-store, must-revalidate, private"


def query_of(response):
    return dict(parse_qsl(urlsplit(response["Location"]).query))


def rights(person="ada"):
    user = User.objects.get(person__subject=person)
    return user.is_superuser, user.is_staff, [group.name for group in user.groups.all()]


@pytest.mark.contract("32.2")
def test_it_leads_to_the_provider(provider, browser_of):
    response = browser_of().get(SIGN_IN)

    query = query_of(response)
    assert response["Location"].startswith(f"{provider.url}/authorize?")
    assert (response.status_code, response["Cache-Control"]) == (302, NEVER)
    assert [len(query.pop(name)) for name in ("state", "nonce", "code_challenge")] == [43] * 3
    assert query == {
        "response_type": "code",
        "client_id": "marketplace",
        "redirect_uri": f"http://testserver{CALLBACK}",
        "scope": "openid profile",
        "code_challenge_method": "S256",
    }


@pytest.mark.contract("32.3")
def test_the_cookie_of_a_sign_in(browser_of, settings):
    for is_secure in (True, False):
        settings.SESSION_COOKIE_SECURE = is_secure
        response = browser_of().get(f"{SIGN_IN}?next=/admin/catalogue/skill/")

        [cookie] = response.cookies.values()
        assert cookie.key == f"sign-in-{query_of(response)['state'][:8]}"
        names = ("path", "samesite", "httponly", "max-age", "domain", "secure")
        attributes = [CALLBACK, "Lax", True, 600, "", is_secure or ""]
        assert [cookie[name] for name in names] == attributes
        secret, *kept = signing.loads(cookie.value, salt=SALT)
        assert (mask(secret), kept) == ("[masked]", ["/admin/catalogue/skill/", False])
        flow, query = Flow(secret, *kept), query_of(response)
        assert (flow.state, flow.nonce) == (query["state"], query["nonce"])
        digest = sha256(flow.verifier.encode()).digest()
        assert query["code_challenge"] == signing.b64_encode(digest).decode()
        assert len({secret, flow.state, flow.nonce, flow.verifier}) == 4
        # The server reads 4 KiB of cookies (infrastructure/server/headers.py).
        assert len(f"{cookie.key}={cookie.value}; ") < MAX_COOKIES / 25


@pytest.mark.contract("32.7", "32.8")
def test_an_editor_signs_in(browser_of):
    browser = browser_of("ada")

    response = browser.sign_in(back="/admin/catalogue/skill/")

    assert (response.status_code, response["Location"]) == (302, "/admin/catalogue/skill/")
    assert browser.get("/admin/catalogue/skill/").status_code == 200
    assert browser.get("/admin/reviews/review/").status_code == 403
    person = Person.objects.get()
    digest = sha256(f"{person.issuer} ada".encode()).hexdigest()
    assert person.user.username == f"oidc:{digest[:12]}"
    assert not person.user.has_usable_password()
    assert str(person.user) == f"Ada Lovelace (oidc:{digest[:12]})"
    assert (person.groups, person.user.email) == (["writers"], "")
    assert rights() == (False, True, ["Editors"])


@pytest.mark.contract("32.8")
def test_roles_are_the_union_of_the_groups_and_are_overwritten(provider, browser_of):
    ada = provider.people["ada"]
    roles = {
        ("helpers",): (False, True, ["Moderators"]),
        ("writers", "helpers", "else"): (False, True, ["Editors", "Moderators"]),
        ("it",): (True, True, []),
        ("it", "writers"): (True, True, ["Editors"]),
        "writers": (False, True, ["Editors"]),  # one group as a text
    }
    for groups, expected in roles.items():
        ada["groups"] = groups
        assert browser_of("ada").sign_in().status_code == 302
        assert rights() == expected
        User.objects.update(is_superuser=True)

    assert Person.objects.count() == 1


@pytest.mark.contract("32.3", "32.11")
def test_the_session_begins_behind_a_page_of_our_own(browser_of):
    browser = browser_of("ada")
    browser.cookies["staff"] = "fixed-by-somebody-else"
    address = browser.lead(browser.get(SIGN_IN))

    page = browser.get(address, headers={"Sec-Fetch-Site": "cross-site"})

    assert (page.status_code, page["Cache-Control"]) == (200, NEVER)
    target = page.context["address"].replace("&", "&amp;")
    assert f'<meta http-equiv="refresh" content="0;url={target}">' in page.content.decode()
    assert not page.cookies
    done = browser.get(page.context["address"])
    assert done.status_code == 302
    session = done.cookies["staff"]
    assert (session["samesite"], session["httponly"], session["path"]) == (
        "Strict",
        True,
        "/admin/",
    )
    assert session.value != "fixed-by-somebody-else"
    spent = next(cookie for name, cookie in done.cookies.items() if name != "staff")
    assert (spent.value, spent["max-age"], spent["path"]) == ("", 0, CALLBACK)


@pytest.mark.contract("32.3")
def test_tabs_that_sign_in_at_once_do_not_disturb_each_other(browser_of):
    browser = browser_of("ada")
    first, second = browser.lead(browser.get(SIGN_IN)), browser.lead(browser.get(SIGN_IN))

    for address in (second, first):
        assert browser.come_back(address).status_code == 302


@pytest.mark.contract("32.2")
def test_it_leads_back_to_no_other_site(browser_of):
    for address in (
        *("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"),
        *("/skills\r\nSet-Cookie: a=b", "/skills\x00", "evil", f"/{'x' * 1000}"),
    ):
        [cookie] = browser_of().get(SIGN_IN, {"next": address}).cookies.values()
        assert signing.loads(cookie.value, salt=SALT)[1] == ""

    response = browser_of("ada").sign_in(back=address)
    assert (response.status_code, response["Location"]) == (302, "/admin/")


@pytest.mark.contract("32.11")
def test_no_second_factor_is_requested(browser_of, settings):
    settings.SECOND_FACTOR = "staff"
    browser = browser_of("grace")

    assert browser.sign_in().status_code == 302

    assert browser.get("/admin/").status_code == 200
    for send, path in (
        (browser.get, "/admin/second-factor/"),
        (browser.post, "/admin/second-factor/?next=/admin/"),
    ):
        page = send(path, follow=True)
        assert page.redirect_chain == [("/admin/", 302)]
        assert "Your company account asks for its own second factor." in page.content.decode()
    led = browser.get("/admin/login/?next=/admin/catalogue/skill/", follow=True)
    assert led.redirect_chain[-1] == ("/admin/catalogue/skill/", 302)


@pytest.mark.contract("32.7")
def test_no_password_can_be_changed(ada, superuser):
    links = ["/admin/password_change/", "/admin/second-factor/", "/admin/end-sessions/"]
    menus = [browser.get("/admin/").context["account_links"] for browser in (superuser, ada)]
    assert [[link["link"] for link in menu] for menu in menus] == [links, links[2:]]

    for send in (ada.get, ada.post):
        page = send("/admin/password_change/", follow=True)
        assert page.redirect_chain == [("/admin/", 302)]
        assert "Your company account has its own password." in page.content.decode()


@pytest.mark.contract("32.2")
def test_what_the_provider_supports_decides_how_the_secret_is_sent(provider, browser_of):
    sent = []
    exchange = provider.exchange
    provider.exchange = lambda form, header: sent.append((form, header)) or exchange(form, header)
    for documents, scope, is_posted in (
        ({}, "openid profile", False),
        (
            {"token_endpoint_auth_methods_supported": ["client_secret_basic"]},
            "openid profile",
            False,
        ),
        ({"token_endpoint_auth_methods_supported": ["client_secret_post"]}, "openid profile", True),
        ({"scopes_supported": ["openid", "groups"]}, "openid profile groups", False),
    ):
        provider.documents = documents
        Provider.objects.all().delete()
        browser = browser_of("ada")
        led = browser.get(SIGN_IN)
        assert query_of(led)["scope"] == scope
        assert browser.come_back(browser.lead(led)).status_code == 302
        form, header = sent.pop()
        assert (form.get("client_secret") == provider.secret, header == "") == (
            is_posted,
            is_posted,
        )


@pytest.mark.contract("32.11")
def test_the_session_ends_twelve_hours_after_the_sign_in(ada, age):
    end = ada.session.get_expiry_date()
    assert 43_190 < ada.session.get_expiry_age() < 43_202
    age(ada)
    key = ada.session.session_key

    ada.come_back(ada.lead(ada.get("/admin/")))

    assert ada.session.get_expiry_date() == end
    assert ada.session.session_key != key
    assert ada.session["looked_at"] > time.time() - 60


@pytest.mark.contract("32.14")
def test_logging_out_ends_the_session_here(ada):
    assert ada.post("/admin/logout/").status_code == 200

    assert ada.get("/admin/").status_code == 302
    assert ada.sign_in().status_code == 302  # The one at the provider goes on.


@pytest.mark.contract("32.15")
def test_the_signals_of_django(provider, browser_of, age):
    seen = []

    def note(signal, request, user=None, credentials=None, **_):
        seen.append((signal is user_logged_in, user and user.username, credentials, request.path))

    for signal in (user_logged_in, user_login_failed):
        signal.connect(note)
    browser = browser_of("ada")
    browser.sign_in()
    user = User.objects.get()
    assert seen == [(True, user.username, None, CALLBACK)]
    age(browser)
    browser.come_back(browser.lead(browser.get("/admin/")))
    assert len(seen) == 1

    provider.people["ada"]["groups"] = []
    browser_of("ada").sign_in()

    assert seen[1:] == [(False, None, {"username": user.username}, CALLBACK)]
    for signal in (user_logged_in, user_login_failed):
        signal.disconnect(note)


@pytest.mark.contract("32.8")
def test_the_form_of_the_user_says_that_roles_are_overwritten(ada, superuser):
    user = User.objects.get(person__subject="ada")
    page = f"/admin/auth/user/{user.pk}/change/"

    text = superuser.get(page).content.decode()

    assert "Each sign-in overwrites the name and the roles of this user" in text
    assert "Groups: writers" in text
    assert 'name="username"' not in text
