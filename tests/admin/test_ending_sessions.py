"""Staff log out everywhere"""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.browser import untouched_form

PAGE = "/admin/end-sessions/"


def browser_of(user):
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.contract("26.8")
def test_every_session_of_a_person_ends_and_no_other(ada, bob):
    other = browser_of(User.objects.get(username="ada"))
    page = ada.get(PAGE)
    assert page.status_code == 200
    assert other.get("/admin/").status_code == 200

    ended = ada.post(PAGE, untouched_form(page))

    assert (ended.status_code, ended["Location"]) == (302, "/admin/login/")
    assert [client.get("/admin/").status_code for client in (ada, other, bob)] == [302, 302, 200]


def test_looking_at_the_page_ends_nothing(ada):
    ada.get(PAGE)

    assert ada.get("/admin/").status_code == 200


def test_a_logged_out_person_is_asked_to_log_in(client):
    assert client.get(PAGE).status_code == 302
