"""Staff of the admin's roles."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client


@pytest.fixture
def admin_client_of(db):
    """The browser of somebody of a role: `admin_client_of("Editors")`."""

    def admin_client_of(role):
        user = User.objects.create_user(role, is_staff=True)
        user.groups.add(Group.objects.get(name=role))
        client = Client()
        client.force_login(user)
        return client

    return admin_client_of


@pytest.fixture
def ada(db):
    return superuser("ada")


@pytest.fixture
def bob(db):
    return superuser("bob")


def superuser(name):
    client = Client()
    client.force_login(User.objects.create_superuser(name))
    return client
