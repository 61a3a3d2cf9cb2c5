"""With OIDC_ONLY, passwords are only for the way in (contract 32.12)"""

import logging
import re
from io import StringIO

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from people.models import WayIn
from tests.deployment.conftest import lines  # noqa: F401

PASSWORD = "right-password"


def log_in(name, **headers):
    client = Client()
    form = {"username": name, "password": PASSWORD, "next": "/admin/"}
    return client, client.post("/admin/login/", form).status_code


def allow(*arguments):
    output = StringIO()
    call_command("allow_password", *arguments, stdout=output)
    return output.getvalue().strip()


@pytest.fixture
def root(provider, monkeypatch):
    """A superuser from createsuperuser."""
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", "--no-input", username="root", email="", stdout=StringIO())
    return User.objects.get()


@pytest.mark.contract("32.12")
def test_only_the_way_in_logs_in_with_a_password(root, settings, caplog):
    User.objects.create_superuser("other", password=PASSWORD)
    (marked, _), (unmarked, status) = log_in("root"), log_in("other")
    assert (status, unmarked.get("/admin/").status_code) == (302, 200)
    assert "way in" not in caplog.text

    settings.OIDC_ONLY = True

    assert (marked.get("/admin/").status_code, unmarked.get("/admin/").status_code) == (200, 302)
    assert [log_in(name)[1] for name in ("root", "other")] == [302, 200]
    assert "root has used the way in" in caplog.text


@pytest.mark.contract("32.12")
def test_a_command_marks_others_and_is_recorded(root, settings, caplog):
    caplog.set_level(logging.WARNING)
    settings.OIDC_ONLY = True
    other = User.objects.create_superuser("other", password=PASSWORD)

    marked = "Marked. other may log in with a password, even with OIDC_ONLY."
    assert [allow("other"), allow("other")] == [marked, marked]
    client, status = log_in("other")
    assert status == 302
    assert allow("other", "--remove") == "Ended. With OIDC_ONLY=true, other cannot log in."

    assert client.get("/admin/").status_code == 302
    changes = ["Marked as the way in with manage.py.", "No longer the way in, by manage.py."]
    entries = LogEntry.objects.filter(object_id=other.pk).order_by("pk")
    assert [entry.get_change_message() for entry in entries] == changes
    assert [f"other: {change}" in caplog.text for change in changes] == [True, True]
    assert LogEntry.objects.get(object_id=root.pk).get_change_message() == changes[0]


@pytest.mark.contract("32.12")
def test_users_that_cannot_be_marked(root, ada):
    person = User.objects.get(person__subject="ada").username
    allow("root", "--remove")
    refusals = {
        ("nobody",): "No user is called 'nobody'.",
        (person,): f"{person} signs in at the identity provider, without a password.",
        ("root", "--remove"): "root is not marked.",
    }
    for arguments, refusal in refusals.items():
        with pytest.raises(CommandError, match=re.escape(refusal)):
            allow(*arguments)
    assert not WayIn.objects.exists()


@pytest.mark.contract("32.7")
def test_a_password_of_a_person_opens_nothing(ada):
    user = User.objects.get()
    user.set_password(PASSWORD)
    user.save()

    assert log_in(user.username)[1] == 200


@pytest.mark.contract("32.12")
def test_doctor_names_the_way_in(root, settings, lines, provider):  # noqa: F811
    name = "sign-in"
    assert lines(name) == [f"{provider.url} answers."]
    settings.OIDC_ONLY = True
    assert lines(name) == [f"{provider.url} answers. Passwords are only for: root."]
    User.objects.update(is_active=False)
    nobody = "OIDC_ONLY is true, and no active superuser is marked as the way in: nobody gets in "
    advice = "while the provider is down. Run python manage.py allow_password USERNAME."
    assert lines(name) == [nobody + advice]


def test_doctor_tells_of_a_provider_that_does_not_answer(provider, settings, lines):  # noqa: F811
    for documents, reason in (
        (
            {"issuer": "https://other.example"},
            "/.well-known/openid-configuration names another issuer",
        ),
        ({"jwks_uri": "https://other.example/keys"}, "its keys are on another host"),
    ):
        provider.documents = documents
        [line] = lines("sign-in")
        assert line == f"{provider.url} cannot be used: {reason}. Correct OIDC_ISSUER."
    settings.OIDC_ISSUER = ""
    assert lines("sign-in") == ["OIDC_ISSUER is not set: staff log in with passwords."]
