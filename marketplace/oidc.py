"""The variables of sign-in with the company's identity provider (contract 32.1)."""

import os

from django.core.exceptions import ImproperlyConfigured, ValidationError

from marketplace import environment
from marketplace.addresses import checked

# The roles that groups of the provider may have. Two of them are groups of Django.
EDITORS, MODERATORS, SUPERUSERS, MEMBERS = "editors", "moderators", "superusers", "members"
DJANGO_GROUPS = {EDITORS: "Editors", MODERATORS: "Moderators"}
ROLES = [EDITORS, MODERATORS, SUPERUSERS, MEMBERS]
BACKENDS = ["people.backends.PasswordBackend", "people.backends.ProviderBackend"]
# No form accepts a colon in a user name, so that no local user has such a name.
USERNAME_PREFIX = "oidc:"
MAX_ISSUER = 255  # characters, in the database


def variables():
    """Issuer, client ID, its secret, groups by role, the groups' claim, and OIDC_ONLY.

    The issuer is "" if there is none. Raises ImproperlyConfigured.
    """
    is_only = environment.boolean("OIDC_ONLY", default=False)
    issuer = environment.text("OIDC_ISSUER", "")
    if not issuer:
        refuse_others(is_only=is_only)
        return "", "", "", {}, "", False
    try:
        checked(issuer)
    except ValidationError as error:
        raise ImproperlyConfigured(
            "OIDC_ISSUER must be an address such as https://login.example.com, with http only for "
            "this machine."
        ) from error
    if len(issuer) > MAX_ISSUER:
        raise ImproperlyConfigured(f"OIDC_ISSUER must have {MAX_ISSUER} characters or fewer.")
    claim = environment.text("OIDC_GROUPS_CLAIM", "groups")
    client_id = environment.printable("OIDC_CLIENT_ID")
    secret = environment.printable("OIDC_CLIENT_SECRET")
    return issuer, client_id, secret, groups_by_role(), claim, is_only


def backends(issuer):
    """AUTHENTICATION_BACKENDS. Without an issuer, the sessions that one began are over."""
    return BACKENDS if issuer else ["django.contrib.auth.backends.ModelBackend"]


def refuse_others(*, is_only):
    """Raise ImproperlyConfigured if the issuer alone is missing."""
    names = ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_GROUPS", "OIDC_GROUPS_CLAIM"]
    for name in [*names, *(["OIDC_ONLY"] if is_only else [])]:
        if os.environ.get(name, "").strip():
            raise ImproperlyConfigured(
                f"{name} is set, and OIDC_ISSUER is not: set it, too, or leave out both."
            )


def groups_by_role():
    """The groups of each role in OIDC_GROUPS, such as `{"editors": {"skills-editors"}}`."""
    environment.text("OIDC_GROUPS")  # required
    pairs = environment.words(
        "OIDC_GROUPS",
        pattern=rf"({'|'.join(ROLES)})=.+",
        meaning="pairs such as editors=skills-editors, of the roles editors, moderators, "
        "superusers and members",
    )
    groups = {}
    for pair in pairs:
        role, _, group = pair.partition("=")
        groups.setdefault(role, set()).add(group.strip())
    return groups
