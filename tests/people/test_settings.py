"""The variables of sign-in (contract 32.1)"""

import pytest
from django.core.exceptions import ImproperlyConfigured

from marketplace import oidc
from tests.environments import NOT_SET, SETTINGS, read

SECRET = "s3cret-of-the-client"
COMPLETE = {
    "OIDC_ISSUER": "https://login.example/tenant/v2.0",
    "OIDC_CLIENT_ID": "marketplace",
    "OIDC_CLIENT_SECRET": SECRET,
    "OIDC_GROUPS": "editors=skills-editors, superusers=IT admins,editors=/skills/b=c",
}
ALONE = "is set, and OIDC_ISSUER is not: set it, too, or leave out both."
PAIRS = (
    "OIDC_GROUPS must hold pairs such as editors=skills-editors, of the roles editors, moderators, "
    "superusers and members, not {!r}."
)
URL = (
    "OIDC_ISSUER must be an address such as https://login.example.com, with http only for this "
    "machine."
)


@pytest.mark.contract("32.1")
def test_what_the_settings_make_of_them():
    settings = read(SETTINGS, **COMPLETE)
    assert {name: value for name, value in settings.items() if name.startswith("OIDC_")} == {
        **COMPLETE,
        "OIDC_GROUPS": {"editors": {"skills-editors", "/skills/b=c"}, "superusers": {"IT admins"}},
        "OIDC_GROUPS_CLAIM": "groups",
        "OIDC_ONLY": False,
    }
    assert settings["AUTHENTICATION_BACKENDS"] == oidc.BACKENDS

    members = read(SETTINGS, **COMPLETE | {"OIDC_GROUPS": "members=all"})
    assert members["OIDC_GROUPS"] == {"members": {"all"}}
    without = read(SETTINGS, OIDC_ONLY="false")
    assert (without["OIDC_ISSUER"], without["OIDC_ONLY"]) == ("", False)
    assert without["AUTHENTICATION_BACKENDS"] == ["django.contrib.auth.backends.ModelBackend"]


REFUSED = [
    *[({name: value}, f"{name} {ALONE}") for name, value in [*COMPLETE.items()][1:]],
    ({"OIDC_GROUPS_CLAIM": "roles"}, f"OIDC_GROUPS_CLAIM {ALONE}"),
    ({"OIDC_ONLY": "true"}, f"OIDC_ONLY {ALONE}"),
    *[
        ({"OIDC_ISSUER": url}, URL)
        for url in (
            *("login.example", "http://login.example", "https://login.example?a", "https://a@b"),
            *("https://login.example/#a", "https://", "http://127.0.0.1.example", "https://a b"),
        )
    ],
    ({"OIDC_ISSUER": f"https://{'a' * 248}"}, "OIDC_ISSUER must have 255 characters or fewer."),
    *[
        (COMPLETE | {name: None}, f"{name} {NOT_SET}")
        for name in ("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_GROUPS")
    ],
    (COMPLETE | {"OIDC_GROUPS": "owners=it"}, PAIRS.format("owners=it")),
    (COMPLETE | {"OIDC_GROUPS": "editors=a,b"}, PAIRS.format("b")),
    (COMPLETE | {"OIDC_GROUPS": "editors="}, PAIRS.format("editors=")),
    *[
        (COMPLETE | {name: "naïve"}, f"{name} must hold printable ASCII characters.")
        for name in ("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
    ],
    (COMPLETE | {"OIDC_ONLY": "sometimes"}, "OIDC_ONLY must be true or false, not 'sometimes'."),
]


@pytest.mark.contract("32.1")
@pytest.mark.parametrize(("variables", "text"), REFUSED)
def test_a_wrong_combination_stops_the_start(variables, text):
    with pytest.raises(ImproperlyConfigured) as refused:
        read(SETTINGS, **variables)

    assert str(refused.value) == text
    assert SECRET not in text
