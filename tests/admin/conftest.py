"""Staff of the admin's roles."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.browser import logged_in


@pytest.fixture
def admin_client_of(db):
    """The browser of somebody of a role: `admin_client_of("Editors")`."""

    def admin_client_of(role):
        user = User.objects.create_user(role, is_staff=True)
        user.groups.add(Group.objects.get(name=role))
        return logged_in(user)

    return admin_client_of


@pytest.fixture
def clerk_with(db):
    """The browser of staff with these permissions: `clerk_with("view_skill")`."""

    def clerk_with(*permissions):
        user = User.objects.create_user("clerk", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        assert user.user_permissions.count() == len(permissions)
        return logged_in(user)

    return clerk_with


@pytest.fixture
def ada(db):
    return browser_of_superuser("ada")


@pytest.fixture
def bob(db):
    return browser_of_superuser("bob")


def browser_of_superuser(name):
    return logged_in(User.objects.create_superuser(name))


@pytest.fixture
def superuser(db):
    """A superuser with a password."""
    return User.objects.create_superuser("superuser", password="right-password")


@pytest.fixture
def grace(db):
    """An editor with a password."""
    grace = User.objects.create_user("grace", password="right-password", is_staff=True)
    grace.groups.add(Group.objects.get(name="Editors"))
    return grace


@pytest.fixture
def device(superuser):
    """The second factor of superuser."""
    return TOTPDevice.objects.create(user=superuser, name="Authenticator app")
