"""me.git: what the manifest of the token's agent has (contract 27)."""

import base64

import pytest

from agents.models import AgentToken
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_marketplaces import names, paths_below

REFS = "/git/me.git/info/refs?service=git-upload-pack"


@pytest.fixture
def owner(transactional_db):
    return AgentFactory()


def act(server, agent, path, **body):
    response = server.request("POST", f"/api/v1/agents/me/{path}", body, token=agent.token.text)
    assert response.status in {200, 201}, response.body


@pytest.mark.contract("27.3")
def test_it_has_what_the_agent_installs(live_server_of, git, owner):
    SkillFactory(slug="pdf-tables")
    bundled = SkillFactory(slug="csv-tables")
    PersonaFactory(slug="archivist", content="Keep.", skills=[bundled])
    server = live_server_of()
    git("clone", address(server, "me", owner.token))
    before = names(git.files("me"))
    act(server, owner, "skills/install", slug="pdf-tables")
    act(server, owner, "personas/install", slug="archivist")
    act(server, owner, "personas/activate", slug="archivist")

    git("pull", "--ff-only", within="me")

    files = git.files("me")
    assert before == ["everything"]
    assert names(files) == ["csv-tables", "pdf-tables", "archivist", "everything"]
    assert sorted(paths_below(files, "plugins/archivist/skills")) == ["csv-tables/SKILL.md"]
    git("fsck", "--strict", within="me")


@pytest.mark.contract("27.3")
def test_a_pinned_version_is_what_it_has(live_server_of, git, owner):
    skill = SkillFactory(slug="pdf-tables", content="# First\n")
    PersonaFactory(slug="archivist", skills=[skill])
    server = live_server_of()
    act(server, owner, "skills/install", slug="pdf-tables", version=1)
    act(server, owner, "personas/install", slug="archivist")
    act(server, owner, "personas/activate", slug="archivist")
    skill.content = "# Second\n"
    skill.save()
    git("clone", address(server, "me", owner.token))
    pinned = git.files("me")

    act(server, owner, "skills/unpin", slug="pdf-tables")
    git("pull", "--ff-only", within="me")

    for plugin in ("pdf-tables", "archivist"):
        path = f"plugins/{plugin}/skills/pdf-tables/SKILL.md"
        assert b"# First" in pinned[path]
        assert b"# Second" in git.files("me")[path]
    assert b'"version": "1.0.0"' in pinned["plugins/pdf-tables/plugin.json"]
    assert b'"version": "2.0.0"' in git.files("me")["plugins/pdf-tables/plugin.json"]


@pytest.mark.contract("27.3")
def test_pulling_removes_uninstalled_skills(live_server_of, git, owner):
    SkillFactory(slug="pdf-tables")
    server = live_server_of()
    act(server, owner, "skills/install", slug="pdf-tables")
    git("clone", address(server, "me", owner.token))

    act(server, owner, "skills/uninstall", slug="pdf-tables")
    git("pull", "--ff-only", within="me")

    assert names(git.files("me")) == ["everything"]


@pytest.mark.contract("27.8")
def test_without_a_token_git_is_asked_for_a_password(anyone):
    response = anyone.get(REFS)

    assert (response.status_code, response.json()) == (401, {"error": "Authentication required"})
    assert response["WWW-Authenticate"] == 'Basic realm="marketplace"'


def basic(text):
    return {"Authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}


@pytest.mark.contract("27.9")
@pytest.mark.parametrize("scopes", [["clone"], ["read"], ["read", "install", "review"]])
def test_a_token_that_may_clone_or_read_opens_it(anyone, agent, scopes):
    text = AgentToken.objects.issue(agent, scopes).text

    for headers in (
        basic(f"x:{text}"),
        basic(f":{text}"),
        {"Authorization": f"Bearer {text}"},
    ):
        assert anyone.get(REFS, headers=headers).status_code == 200


@pytest.mark.contract("27.9")
def test_a_token_that_may_neither_is_refused(anyone, agent):
    text = AgentToken.objects.issue(agent, ["install"]).text

    response = anyone.get(REFS, headers=basic(f"x:{text}"))

    assert (response.status_code, response.json()) == (403, {"error": "Insufficient permissions"})


@pytest.mark.contract("27.8")
@pytest.mark.parametrize(
    "header", ["Basic", "Basic x", "Basic eA==", "Basic 4pg=", "Basic //8=", "Digest x"]
)
def test_an_unreadable_password_is_none(anyone, header):
    assert anyone.get(REFS, headers={"Authorization": header}).status_code == 401


@pytest.mark.contract("27.8")
def test_a_revoked_token_or_paused_agent_is_refused_at_once(anyone, agent):
    headers = basic(f"x:{agent.token.text}")
    agent.pause()
    assert anyone.get(REFS, headers=headers).status_code == 401
    agent.resume()
    assert anyone.get(REFS, headers=headers).status_code == 200
    agent.token.revoke("Lost")
    assert anyone.get(REFS, headers=headers).status_code == 401


@pytest.mark.contract("27.9")
def test_a_token_that_may_clone_opens_nothing_else(client_of, agent):
    client = client_of(token=AgentToken.objects.issue(agent, ["clone"]).text)

    for path in ("/agents/me", "/agents/me/manifest", "/agents/me/skills", "/agents/me/tokens"):
        response = client.get(f"/api/v1{path}")
        assert response.status_code == 403
        assert response.json() == {"error": "Insufficient permissions"}
    assert client.post("/api/v1/agents/me/tokens", {"scopes": ["clone"]}).status_code == 403


@pytest.mark.contract("27.9")
def test_a_token_that_may_read_makes_one_that_may_clone(client_of, agent):
    client = client_of(token=AgentToken.objects.issue(agent, ["read"]).text)

    response = client.post("/api/v1/agents/me/tokens", {"scopes": ["clone"]})

    assert response.status_code == 201
    assert response.json()["scopes"] == ["clone"]


@pytest.mark.contract("27.8")
def test_a_public_repository_ignores_a_refused_token(anyone):
    SkillFactory(slug="pdf-tables")
    path = "/git/skills/pdf-tables.git/info/refs?service=git-upload-pack"

    assert anyone.get(path, headers=basic("x:wrong")).status_code == 200


def test_its_refs_take_few_statements(anyone, agent, django_assert_max_num_queries):
    headers = basic(f"x:{agent.token.text}")
    anyone.get(REFS, headers=headers)

    # The token, the name of the marketplace, the manifest, its versions, the repository.
    with django_assert_max_num_queries(5):
        anyone.get(REFS, headers=headers)


@pytest.mark.contract("27.8")
@pytest.mark.parametrize("path", ["catalogue", "skills/pdf-tables", "personas/unknown"])
def test_a_members_only_catalogue_asks_for_a_token_first(anyone, agent, settings, path):
    settings.CATALOGUE = "members"
    SkillFactory(slug="pdf-tables")
    refs = f"/git/{path}.git/info/refs?service=git-upload-pack"
    text = AgentToken.objects.issue(agent, ["clone"]).text

    refused = anyone.get(refs)

    assert (refused.status_code, refused.json()) == (401, {"error": "Authentication required"})
    assert refused["WWW-Authenticate"] == 'Basic realm="marketplace"'
    expected = 404 if path == "personas/unknown" else 200
    assert anyone.get(refs, headers=basic(f"x:{text}")).status_code == expected
