"""SUBMISSIONS=off: nothing of submissions exists (contract 29.1)."""

import pytest

from tests.submissions.conftest import URL


@pytest.mark.contract("29.1")
@pytest.mark.parametrize("method", ["get", "post", "put"])
def test_its_paths_do_not_exist(settings, author, anyone, method):
    settings.SUBMISSIONS = "off"

    for client in (author, anyone):
        for path in (URL, f"{URL}/submission_none"):
            response = client.generic(method.upper(), path, b"{}")
            assert (response.status_code, response.json()) == (404, {"error": "Not Found"})


@pytest.mark.contract("29.1")
def test_its_scope_is_unknown(settings, client):
    settings.SUBMISSIONS = "off"

    response = client.post("/api/v1/agents/me/tokens", {"scopes": ["submit"]})

    assert response.status_code == 400
    assert response.json() == {
        "error": "scopes must be a list of one or more of read, install, review, clone"
    }
