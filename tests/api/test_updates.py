"""POST /api/v1/agents/me/skills/update and /personas/update (contract 16.6)."""

import pytest

from catalogue.models import Status
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

MAKE = {"skill": SkillFactory, "persona": PersonaFactory}
KINDS = {"skill": SkillInstallFactory, "persona": PersonaInstallFactory}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def url(kind, verb="update"):
    return f"/api/v1/agents/me/{kind}s/{verb}"


def installed(kind, agent, slug="wanted"):
    return KINDS[kind](agent=agent, **{f"{kind}__slug": slug})


def changed(install, kind):
    entry = getattr(install, kind)
    entry.content = f"{entry.content} Better."
    entry.save()
    entry.refresh_from_db()
    return entry


@pytest.mark.contract("16.6")
def test_it_moves_the_install_to_the_present_text(client, agent, kind):
    install = installed(kind, agent)
    other = KINDS[kind](agent=AgentFactory(), **{kind: getattr(install, kind)})
    entry = changed(install, kind)

    response = client.post(url(kind), {"slug": "wanted"})

    assert response.status_code == 200
    assert response.json() == {
        "message": "Updated",
        "slug": "wanted",
        "digest": entry.digest,
        "previousDigest": install.installed_digest,
    }
    [row] = client.get(f"/api/v1/agents/me/{kind}s").json()["results"]
    assert (row["installedDigest"], row["updateAvailable"]) == (entry.digest, False)
    other.refresh_from_db()
    assert other.installed_digest == install.installed_digest != entry.digest


def test_it_costs_nine_statements(client, agent, kind, django_assert_num_queries):
    changed(installed(kind, agent), kind)

    with django_assert_num_queries(9):
        client.post(url(kind), {"slug": "wanted"})


@pytest.mark.contract("16.6")
def test_with_nothing_to_update_nothing_moves(client, agent, kind):
    install = installed(kind, agent)

    for _ in range(2):
        response = client.post(url(kind), {"slug": "wanted"})

        assert response.status_code == 200
        assert response.json() == {
            "message": "Nothing to update",
            "slug": "wanted",
            "digest": install.installed_digest,
            "previousDigest": install.installed_digest,
        }


@pytest.mark.contract("16.4")
def test_an_install_keeps_the_digest_that_it_got(client, agent, kind):
    entry = getattr(installed(kind, AgentFactory()), kind)
    client.post(url(kind, "install"), {"slug": "wanted"})
    before = entry.digest
    entry.content = "Another."
    entry.save()

    [row] = client.get(f"/api/v1/agents/me/{kind}s").json()["results"]

    assert row["installedDigest"] == before


@pytest.mark.contract("16.7")
@pytest.mark.parametrize("slug", ["known", "unknown", "another-s", "uninstalled", "A B"])
def test_updating_an_entry_that_is_not_installed_is_not_found(client, agent, kind, slug):
    MAKE[kind](slug="known")
    installed(kind, AgentFactory(), "another-s")
    installed(kind, agent, "uninstalled")
    client.post(url(kind, "uninstall"), {"slug": "uninstalled"})

    response = client.post(url(kind), {"slug": slug})

    assert response.status_code == 404
    assert response.json() == {"error": f"{kind.title()} not installed"}


@pytest.mark.contract("16.7")
@pytest.mark.parametrize("status", [Status.DRAFT, Status.WITHDRAWN])
def test_a_withdrawn_entry_is_not_updated(client, agent, kind, status):
    install = installed(kind, agent)
    entry = changed(install, kind)
    entry.status = status
    entry.save()

    response = client.post(url(kind), {"slug": "wanted"})

    assert response.status_code == 404
    assert response.json() == {"error": f"{kind.title()} not found"}
    install.refresh_from_db()
    assert install.installed_digest != entry.digest


@pytest.mark.contract("16.6")
def test_it_counts_against_manage(client, agent, kind, rates):
    rates(manage="2/h")
    installed(kind, agent)

    statuses = [client.post(url(kind), {"slug": "wanted"}).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]


@pytest.mark.contract("16.5")
def test_the_profile_lists_updates_latest_change_first(client, agent):
    installs = {kind: installed(kind, agent) for kind in KINDS}
    installed("skill", agent, "unchanged")
    changed_entries = {kind: changed(installs[kind], kind) for kind in KINDS}

    assert client.get("/api/v1/agents/me").json()["updates"] == [
        {
            "kind": kind,
            "slug": "wanted",
            "version": "",
            "digest": changed_entries[kind].digest,
            "installedDigest": installs[kind].installed_digest,
        }
        for kind in ("persona", "skill")
    ]


@pytest.mark.contract("16.5")
def test_the_profile_lists_a_hundred_updates(client, agent):
    old = "sha256:" + "0" * 64
    SkillInstallFactory.create_batch(101, agent=agent, installed_digest=old)

    assert len(client.get("/api/v1/agents/me").json()["updates"]) == 100
