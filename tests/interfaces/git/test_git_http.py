"""git's smart HTTP, as clients and strangers speak it (contract 27)."""

import gzip
from hashlib import sha256

import pytest
from django.core.management import call_command
from django.db import connection

from interfaces.git import store
from tests.factories import PersonaFactory, SkillFactory

REFS = "/info/refs?service=git-upload-pack"
SKILL = "/git/skills/pdf-tables.git"
UNKNOWN = "1" * 40


def line(text):
    return f"{len(text) + 4:04x}{text}".encode()


def upload(client, body, path=SKILL, **headers):
    content_type = "application/x-git-upload-pack-request"
    return client.generic(
        "POST", f"{path}/git-upload-pack", body, content_type=content_type, headers=headers
    )


def head_of(client, path=SKILL):
    return client.get(f"{path}{REFS}").content.decode().split("0000", 1)[1][4:44]


def tags_of(client, path=SKILL):
    """The sha of each tag."""
    refs = client.get(f"{path}{REFS}").content.decode().splitlines()
    return {ref.rpartition("/")[2]: ref[4:44] for ref in refs if "refs/tags/" in ref}


def test_the_refs_are_advertised(anyone, skill):
    response = anyone.get(f"{SKILL}{REFS}")

    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-git-upload-pack-advertisement"
    assert response["Cache-Control"] == "no-store"
    first, second, *refs = response.content.decode().splitlines()
    sha = head_of(anyone)
    assert first == "001e# service=git-upload-pack"
    assert second.partition("\0")[0][8:] == f"{sha} HEAD"
    assert [ref[4:] for ref in refs] == [f"{sha} refs/heads/main", f"{sha} refs/tags/v1", ""]


@pytest.mark.contract("27.2")
def test_the_object_format_is_not_the_last_capability(anyone, skill):
    """libgit2 looks for a space after it, and otherwise cannot clone."""
    assert b" object-format=sha1 " in anyone.get(f"{SKILL}{REFS}").content


@pytest.mark.contract("27.2")
@pytest.mark.parametrize(
    "path",
    ["/git/skills/unknown.git", "/git/skills/%00.git", "/git/personas/unknown.git"],
)
def test_an_unknown_name_is_not_found(anyone, skill, path):
    response = anyone.get(f"{path}{REFS}")

    kind = "Skill" if "skills" in path else "Persona"
    assert (response.status_code, response.json()) == (404, {"error": f"{kind} not found"})


@pytest.mark.contract("27.2")
@pytest.mark.parametrize("path", ["/git/other.git", "/git/skills.git", "/git/catalogue/x.git"])
def test_any_other_path_is_not_found(anyone, skill, path):
    assert anyone.get(f"{path}{REFS}").status_code == 404


@pytest.mark.contract("27.2")
def test_cloning_a_priced_persona_is_refused(anyone):
    PersonaFactory(slug="archivist", price_cents=100)

    response = anyone.get(f"/git/personas/archivist.git{REFS}")

    text = "This persona requires payment. Agent API currently supports free personas only."
    assert (response.status_code, response.json()) == (402, {"error": text})


@pytest.mark.contract("27.2")
def test_a_push_is_forbidden(anyone, skill):
    error = {"error": "These repositories are read-only"}

    refs = anyone.get(f"{SKILL}/info/refs?service=git-receive-pack")
    pushed = anyone.post(f"{SKILL}/git-receive-pack", b"0000")

    assert (refs.status_code, refs.json()) == (403, error)
    assert (pushed.status_code, pushed.json()) == (403, error)


@pytest.mark.contract("27.2")
@pytest.mark.parametrize("path", ["info/refs", "HEAD", "objects/info/packs"])
def test_the_dumb_protocol_is_not_found(anyone, skill, path):
    assert anyone.get(f"{SKILL}/{path}").status_code == 404


@pytest.mark.contract("27.11")
def test_a_want_of_an_unknown_object_is_an_error_at_once(anyone, skill):
    head_of(anyone)

    response = upload(anyone, line(f"want {UNKNOWN}\n") + b"0000" + line("done\n"))

    assert response.status_code == 200
    assert response.content == line(f"ERR upload-pack: not our ref {UNKNOWN}")


@pytest.mark.contract("27.11")
@pytest.mark.parametrize("step", ["objects_of", "commits_in", "read_objects"])
def test_a_pack_of_what_is_purged_meanwhile_is_an_error(anyone, skill, monkeypatch, step):
    skill.content = "# Second\n"
    skill.save()
    head, read = head_of(anyone), getattr(store, step)

    def purge_and_read(*arguments):
        call_command("purge_version", "skill", "pdf-tables", "1", reason="The law")
        return read(*arguments)

    monkeypatch.setattr(store, step, purge_and_read)
    response = upload(anyone, line(f"want {head}\n") + b"0000" + line("done\n"))

    assert response.status_code == 200
    assert response.content == line(f"ERR upload-pack: not our ref {head}")


@pytest.mark.contract("27.11")
def test_a_long_history_is_sent_whole(anyone, skill, downloads):
    head_of(anyone)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO git_commit (repository_id, number, sha, data)"
            " SELECT id, added, substr(sha256(added::text::bytea), 1, 20), 'commit'"
            " FROM git_repository, generate_series(2, 30000) AS added"
        )
    wants = sha256(b"30000").hexdigest()[:40]

    response = upload(anyone, line(f"want {wants}\n") + b"0000" + line("done\n"))

    assert response.content[8:20] == b"PACK\0\0\0\2" + (30_003).to_bytes(4, "big")


@pytest.mark.contract("27.11")
def test_a_compressed_request_is_read(anyone, skill):
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")

    plain = upload(anyone, body)
    compressed = upload(anyone, gzip.compress(body), **{"Content-Encoding": "gzip"})

    assert compressed.content == plain.content


@pytest.mark.contract("27.11")
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"hello", {}),
        (b"00", {}),
        (b"ffff", {}),
        (line("want x\n") + b"0000", {}),
        (line(f"want {UNKNOWN}\n") + line("deepen -1\n") + b"0000", {}),
        (line(f"want {UNKNOWN}\n") + line("filter \n") + b"0000", {}),
        (line(f"want {UNKNOWN}\n") + b"0000" + line("want x\n"), {}),
        (b"\x1f\x8b nothing", {"Content-Encoding": "gzip"}),
        (gzip.compress(b"0" * (4 * 1024**2 + 1)), {"Content-Encoding": "gzip"}),
        (b"0000", {"Content-Encoding": "br"}),
    ],
)
def test_an_unreadable_request_is_refused(anyone, skill, body, headers):
    response = upload(anyone, body, **headers)

    text = "Request body must be a request of git, of at most 4 MiB"
    assert (response.status_code, response.json()) == (400, {"error": text})


@pytest.mark.contract("27.11")
def test_a_long_request_is_refused(anyone, skill):
    response = upload(anyone, b"0" * (2 * 1024**2 + 1))

    assert (response.status_code, response.json()) == (413, {"error": "Request body is too large"})


@pytest.mark.contract("27.11")
def test_one_request_may_name_tens_of_thousands_of_files(anyone, skill):
    wants = b"".join(line(f"want {number:040x}\n") for number in range(22_000))
    body = gzip.compress(wants + b"0000" + line("done\n"))

    response = upload(anyone, body, **{"Content-Encoding": "gzip"})

    first = line(f"ERR upload-pack: not our ref {0:040x}")
    assert (response.status_code, response.content) == (200, first)


def test_a_request_for_nothing_gets_nothing(anyone, skill):
    assert upload(anyone, b"0000").content == b""


def test_refs_take_few_statements(anyone, skill, django_assert_max_num_queries):
    head_of(anyone)

    with django_assert_max_num_queries(3):
        anyone.get(f"{SKILL}{REFS}")


def test_the_catalogue_is_read_at_one_moment(anyone, skill, django_assert_num_queries):
    anyone.get(f"/git/catalogue.git{REFS}")

    # The name of the marketplace, all plugins and tombstones, the repository.
    with django_assert_num_queries(3):
        anyone.get(f"/git/catalogue.git{REFS}")


@pytest.mark.contract("27.11")
def test_a_pack_that_is_there_takes_few_statements(anyone, skill, django_assert_max_num_queries):
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")
    upload(anyone, body)

    # The skill, its repository, the commits, the limit.
    with django_assert_max_num_queries(4):
        upload(anyone, body)


@pytest.mark.contract("27.2")
def test_plain_http_is_refused_where_a_token_may_travel(anyone, skill, settings):
    settings.REQUIRE_HTTPS = True

    response = anyone.get(f"{SKILL}{REFS}")

    assert (response.status_code, response.json()) == (403, {"error": "HTTPS is required"})


@pytest.mark.contract("27.2")
def test_git_can_be_switched_off(own_server_of):
    SkillFactory(slug="pdf-tables")
    server = own_server_of(GIT="false")

    response = server.request("GET", f"{SKILL}{REFS}")

    assert (response.status, response.json()) == (
        404,
        {"error": "Not found: the API has no such path"},
    )
