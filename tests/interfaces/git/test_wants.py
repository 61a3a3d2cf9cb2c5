"""A client may want the objects of the repository, and no others (contract 34.32)."""

import zlib

import pytest
from dulwich.objects import Blob

from interfaces.git.models import Object
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import head_of, line, upload
from tests.interfaces.git.test_own_repository import basic

pytestmark = pytest.mark.contract("34.32")
CATALOGUE, ME = "/git/catalogue.git", "/git/me.git"


def want(client, sha, path=CATALOGUE, **headers):
    return upload(client, line(f"want {sha}\n") + b"0000" + line("done\n"), path, **headers).content


def not_our_ref(sha):
    return line(f"ERR upload-pack: not our ref {sha}")


def sha_of(text):
    return Blob.from_string(text.encode()).id.decode()


def is_stored(sha):
    return Object.objects.filter(sha=bytes.fromhex(sha)).exists()


def stored_with(text):
    """The sha of the one stored file that the server made with this text in it."""
    files = Object.objects.filter(content=None).values_list("sha", "data")
    [sha] = [sha for sha, data in files if text in content_of(bytes(data))]
    return bytes(sha).hex()


def content_of(packed):
    return zlib.decompress(packed[next(n for n, byte in enumerate(packed, 1) if byte < 128) :])


def headers_of(agent):
    return basic(f"x:{agent.token.text}")


def clone(client, path, **headers):
    """Make the newest commit of a repository."""
    response = client.get(f"{path}/info/refs?service=git-upload-pack", headers=headers)
    assert response.status_code == 200


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables", content="# Tables\n")


def test_a_want_of_a_file_is_a_pack_of_it(anyone, skill, downloads):
    clone(anyone, CATALOGUE)

    pack = want(anyone, sha_of(skill.file_text))

    assert pack.startswith(b"0008NAK\nPACK\0\0\0\2\0\0\0\1")


def test_files_of_another_agent_are_not_there(anyone, client_of, agent, skill):
    """Its repository alone has the text of the version that it has pinned."""
    pinned, other = skill.file_text, AgentFactory()
    pin = {"slug": "pdf-tables", "version": 1}
    assert client_of(other).post("/api/v1/agents/me/skills/install", pin).status_code == 201
    skill.content = "# Second\n"
    skill.save()
    for reader in (agent, other):
        clone(anyone, ME, **headers_of(reader))
    clone(anyone, CATALOGUE)
    sha = sha_of(pinned)
    assert want(anyone, sha, ME, **headers_of(other)).startswith(b"0008NAK\nPACK")

    assert want(anyone, sha, ME, **headers_of(agent)) == not_our_ref(sha)
    assert want(anyone, sha) == not_our_ref(sha)


def test_trees_and_commits_of_another_agent_are_not_there(live_server_of, git, agent_with_skill):
    owner, stranger = agent_with_skill, AgentFactory()
    server = live_server_of()
    git("clone", address(server, "me", owner.token))
    url = address(server, "me", stranger.token)
    git("clone", url, "stranger")

    for name in ("HEAD", "HEAD^{tree}", "HEAD:plugins", "HEAD:.claude-plugin/marketplace.json"):
        sha = git("rev-parse", name, within="me").strip()
        fetch = git.attempt("fetch", "origin", sha, within="stranger")
        assert f"remote error: upload-pack: not our ref {sha}" in fetch.stderr


@pytest.fixture
def agent_with_skill(transactional_db):
    agent = AgentFactory()
    SkillInstallFactory(agent=agent, skill=SkillFactory(slug="pdf-tables"))
    return agent


def test_a_recalled_version_is_where_a_clone_has_it_and_nowhere_else(anyone, skill):
    first = sha_of(skill.file_text)
    skill.content = "# Second\n"
    skill.save()
    skill.versions.get(number=1).recall("It leaks.")
    clone(anyone, "/git/skills/pdf-tables.git")
    clone(anyone, CATALOGUE)

    assert is_stored(first)
    assert want(anyone, first) == not_our_ref(first)
    assert want(anyone, first, "/git/skills/pdf-tables.git").startswith(b"0008NAK\nPACK")


def test_a_priced_persona_is_not_there(anyone, agent):
    persona = PersonaFactory(slug="archivist", content="Keep.")
    owner = AgentFactory()
    PersonaInstallFactory(agent=owner, persona=persona, is_active=True)
    persona.price_cents = 100
    persona.save()
    for reader in (agent, owner):
        clone(anyone, ME, **headers_of(reader))
    clone(anyone, CATALOGUE)
    sha = stored_with(b"Keep.")
    assert want(anyone, sha, ME, **headers_of(owner)).startswith(b"0008NAK\nPACK")

    assert want(anyone, sha, ME, **headers_of(agent)) == not_our_ref(sha)
    assert want(anyone, sha) == not_our_ref(sha)


def test_a_draft_is_not_there(anyone, skill):
    """Neither one that was never published, nor what a withdrawn skill became meanwhile."""
    draft = SkillFactory(slug="draft", content="# Secret\n", status="draft")
    clone(anyone, CATALOGUE)
    sha = sha_of(draft.file_text)

    assert want(anyone, sha) == not_our_ref(sha)
    skill_sha = sha_of(skill.file_text)
    skill.withdraw()
    response = upload(anyone, line(f"want {skill_sha}\n") + b"0000", "/git/skills/pdf-tables.git")
    assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})


def test_a_want_beside_one_that_is_not_there_gets_nothing(anyone, skill):
    other = SkillFactory(slug="csv-tables", content="# Other\n")
    clone(anyone, "/git/skills/csv-tables.git")
    path = "/git/skills/pdf-tables.git"
    head, sha = head_of(anyone, path), sha_of(other.file_text)
    mine = sha_of(skill.file_text)

    wants = b"".join(line(f"want {want}\n") for want in (head, mine, sha))
    response = upload(anyone, wants + b"0000" + line("done\n"), path)

    assert response.content == not_our_ref(sha)


def test_a_folder_comes_with_all_that_is_in_it(live_server_of, git):
    files = {"a/b/c.txt": b"c", "a/d.txt": b"d", "e.txt": b"e"}
    SkillFactory(slug="pdf-tables", files=files)
    url = address(live_server_of(), "skills/pdf-tables")
    git("clone", url)
    sha = git("rev-parse", "HEAD:a", within="pdf-tables").strip()
    git("init", "--quiet", "empty")

    git("fetch", "--quiet", url, sha, within="empty")

    listed = git("ls-tree", "-r", "--name-only", sha, within="empty").split()
    objects = git("cat-file", "--batch-all-objects", "--batch-check", within="empty")
    assert (listed, len(objects.splitlines())) == (["b/c.txt", "d.txt"], 4)
    assert git("show", f"{sha}:b/c.txt", within="empty") == "c"


def test_a_filter_leaves_out_nothing_that_is_named(anyone, skill, downloads):
    clone(anyone, CATALOGUE)
    sha = sha_of(skill.file_text)
    body = line(f"want {sha} filter\n") + line("filter blob:none\n") + b"0000" + line("done\n")

    assert upload(anyone, body, CATALOGUE).content == want(anyone, sha)


def test_a_clone_may_fetch_a_file_by_its_name(live_server_of, git, transactional_db):
    skill = SkillFactory(slug="pdf-tables", files={"a.txt": b"a"})
    url = address(live_server_of(), "skills/pdf-tables")
    git("clone", url)
    skill.content = "# Second\n"
    skill.save()
    sha = sha_of(skill.file_text)
    git("ls-remote", url)

    git("fetch", "--quiet", "origin", sha, within="pdf-tables")

    assert git("cat-file", "-t", sha, within="pdf-tables").strip() == "blob"
