"""Installing, pinning, unpinning and updating to a version (contract 25.7, 25.8)."""

import pytest

from catalogue.models import Persona
from tests.api.versioned_kinds import Kind

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["skill", "persona"])
def kind(request):
    return Kind(request.param)


@pytest.mark.contract("25.7")
def test_a_version_is_installed_and_pinned(client, kind):
    response = kind.post(client, "install", version=2)

    assert response.status_code == 201
    assert response.json()["message"] == f"{kind.label} installed"
    assert kind.installed() == (kind.digest(2), 2, 2)


def test_without_a_version_the_newest_is_installed(client, kind):
    assert kind.post(client, "install").status_code == 201

    assert kind.installed() == (kind.digest(3), 3, None)


@pytest.mark.contract("25.7")
def test_an_unknown_version_is_refused_after_all_else(client, kind):
    def refused():
        response = kind.post(client, "install", version=4)
        return response.status_code, response.json()["error"]

    assert refused() == (404, "Version not found")
    kind.entry.withdraw()
    assert refused() == (404, f"{kind.label} not found")
    kind.entry.publish()
    if kind.name == "persona":
        Persona.objects.update(price_cents=500)
        assert refused()[0] == 402
        Persona.objects.update(price_cents=0)
    assert not kind.Install.objects.exists()
    kind.post(client, "install")
    assert refused() == (409, f"{kind.label} already installed")
    counter = kind.model.objects.values_list(kind.model.POPULARITY, flat=True)
    assert [*counter] == [1]


def test_a_recalled_version_is_none(client, kind):
    kind.recall(2)

    for action in ("install", "pin", "update"):
        response = kind.post(client, action, version=2)
        assert (response.status_code, response.json()) == (404, {"error": "Version not found"})
        kind.post(client, "install", version=1)
    assert kind.installed() == (kind.digest(1), 1, 1)


@pytest.mark.contract("25.7")
def test_a_version_is_a_whole_number(client, kind, alone):
    for action in ["install", "update", "pin"]:
        for version in [0, -1, 2**31, 1.5, "1", True, []]:
            with alone(f"{action} {version}"):
                response = kind.post(client, action, version=version)

                assert response.status_code == 400
                error = "version must be a whole number from 1 to 2147483647"
                assert response.json() == {"error": error}


@pytest.mark.contract("25.8")
def test_pinning_takes_the_used_version(client, kind):
    kind.post(client, "install")
    kind.rewrite(4)

    responses = [kind.post(client, "pin") for _ in range(2)]

    for response in responses:
        assert response.status_code == 200
        assert response.json() == {
            "message": f"{kind.label} pinned",
            "slug": kind.slug,
            "number": 3,
            "digest": kind.digest(3),
        }
    assert kind.installed() == (kind.digest(3), 3, 3)


@pytest.mark.contract("25.8")
def test_another_version_is_pinned(client, kind):
    kind.post(client, "install")

    response = kind.post(client, "pin", version=1)

    assert (response.status_code, response.json()["number"]) == (200, 1)
    assert kind.installed() == (kind.digest(1), 1, 1)


@pytest.mark.contract("25.8")
def test_a_text_from_before_the_first_version_cannot_be_pinned(client, kind):
    kind.post(client, "install")
    kind.Install.objects.update(installed_digest="sha256:older", number=None)

    response = kind.post(client, "pin")

    assert (response.status_code, response.json()) == (404, {"error": "Version not found"})
    assert kind.post(client, "pin", version=2).status_code == 200


def test_pinning_takes_the_used_one_of_two_equal_versions(client, kind):
    kind.rewrite(1)
    assert kind.digest(4) == kind.digest(1)
    kind.post(client, "install", version=1)
    kind.post(client, "unpin")

    assert kind.post(client, "pin").json()["number"] == 1


@pytest.mark.contract("25.8")
def test_an_unpinned_entry_is_the_newest_again(client, kind):
    kind.post(client, "install", version=1)

    responses = [kind.post(client, "unpin") for _ in range(2)]

    for response in responses:
        assert response.status_code == 200
        assert response.json() == {"message": f"{kind.label} unpinned", "slug": kind.slug}
    assert kind.installed() == (kind.digest(1), 1, None)
    assert kind.own(client)["number"] == 3


@pytest.mark.contract("25.7")
def test_an_update_keeps_a_pin_at_the_newest(client, kind):
    kind.post(client, "install", version=1)

    response = kind.post(client, "update")

    assert response.status_code == 200
    assert response.json() == {
        "message": "Updated",
        "slug": kind.slug,
        "digest": kind.digest(3),
        "previousDigest": kind.digest(1),
    }
    assert kind.installed() == (kind.digest(3), 3, 3)


@pytest.mark.contract("25.7")
def test_an_update_to_a_version_pins_it(client, kind):
    kind.post(client, "install")

    response = kind.post(client, "update", version=2)

    assert response.json()["digest"] == kind.digest(2)
    assert kind.installed() == (kind.digest(2), 2, 2)


@pytest.mark.contract("25.8")
@pytest.mark.parametrize("action", ["pin", "unpin", "update"])
def test_pinning_a_withdrawn_entry_is_not_found(client, kind, action):
    response = kind.post(client, action)
    error = {"error": f"{kind.label} not installed"}
    assert (response.status_code, response.json()) == (404, error)

    kind.post(client, "install", version=1)
    kind.entry.withdraw()

    response = kind.post(client, action)
    assert (response.status_code, response.json()) == (404, {"error": f"{kind.label} not found"})
    assert kind.installed() == (kind.digest(1), 1, 1)
