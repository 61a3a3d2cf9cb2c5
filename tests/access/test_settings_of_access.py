"""The variables of a private marketplace (docs/deploy/private.md)"""

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured

from tests.environments import SETTINGS, read


@pytest.mark.contract("26.12")
@pytest.mark.parametrize(
    ("registration", "catalogue", "is_warned"),
    [
        *(("open", "members", True), ("invitation", "members", False)),
        *(("closed", "members", False), ("open", "public", False)),
    ],
)
def test_the_check_of_a_deployment_warns_where_anybody_becomes_a_member(
    settings, registration, catalogue, is_warned
):
    settings.REGISTRATION, settings.CATALOGUE = registration, catalogue

    ids = [warning.id for warning in run_checks(include_deployment_checks=True)]

    assert ("marketplace.W003" in ids) == is_warned


def test_a_marketplace_is_open_and_public_by_default():
    names = read(SETTINGS)

    assert (names["REGISTRATION"], names["CATALOGUE"]) == ("open", "public")
    assert (names["SESSION_COOKIE_NAME"], names["SESSION_COOKIE_PATH"]) == ("staff", "/admin/")


def test_the_session_of_staff_is_sent_to_the_pages_that_members_read():
    names = read(SETTINGS, CATALOGUE="members")

    cookie = (names["SESSION_COOKIE_NAME"], names["SESSION_COOKIE_PATH"])
    assert cookie == ("staff-member", "/")


@pytest.mark.parametrize(("name", "default"), [("REGISTRATION", "open"), ("CATALOGUE", "public")])
def test_a_variable_that_was_not_filled_in_opens_nothing(name, default):
    with pytest.raises(ImproperlyConfigured) as refused:
        read(SETTINGS, **{name: " "})

    assert str(refused.value) == f"{name} must not be empty: leave it out for {default}."
