"""git's smart HTTP, as clients and strangers speak it (contract 27)."""

import gzip
import re
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


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables", content="# Tables\n", files={"run.sh": b"true\n"})


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


def test_the_object_format_is_not_the_last_capability(anyone, skill):
    """libgit2 looks for a space after it, and otherwise cannot clone."""
    assert b" object-format=sha1 " in anyone.get(f"{SKILL}{REFS}").content


@pytest.mark.parametrize(
    "path",
    ["/git/skills/unknown.git", "/git/skills/%00.git", "/git/personas/unknown.git"],
)
def test_an_unknown_name_is_not_found(anyone, skill, path):
    response = anyone.get(f"{path}{REFS}")

    kind = "Skill" if "skills" in path else "Persona"
    assert (response.status_code, response.json()) == (404, {"error": f"{kind} not found"})


@pytest.mark.parametrize("path", ["/git/other.git", "/git/skills.git", "/git/catalogue/x.git"])
def test_any_other_path_is_not_found(anyone, skill, path):
    assert anyone.get(f"{path}{REFS}").status_code == 404


def test_a_priced_persona_is_refused_as_its_install_is(anyone):
    PersonaFactory(slug="archivist", price_cents=100)

    response = anyone.get(f"/git/personas/archivist.git{REFS}")

    text = "This persona requires payment. Agent API currently supports free personas only."
    assert (response.status_code, response.json()) == (402, {"error": text})


def test_a_push_is_forbidden(anyone, skill):
    error = {"error": "These repositories are read-only"}

    refs = anyone.get(f"{SKILL}/info/refs?service=git-receive-pack")
    pushed = anyone.post(f"{SKILL}/git-receive-pack", b"0000")

    assert (refs.status_code, refs.json()) == (403, error)
    assert (pushed.status_code, pushed.json()) == (403, error)


@pytest.mark.parametrize("path", ["info/refs", "HEAD", "objects/info/packs"])
def test_the_dumb_protocol_is_not_found(anyone, skill, path):
    assert anyone.get(f"{SKILL}/{path}").status_code == 404


def test_a_want_of_an_unknown_object_is_an_error_at_once(anyone, skill):
    head_of(anyone)

    response = upload(anyone, line(f"want {UNKNOWN}\n") + b"0000" + line("done\n"))

    assert response.status_code == 200
    assert response.content == line(f"ERR upload-pack: not our ref {UNKNOWN}")


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


@pytest.mark.parametrize(
    ("wants", "has", "commits"),
    [
        (["want v3"], "v1", 2),
        (["want v3"], "v2", 1),
        (["want v2"], "v3", 0),
        (["want v3", "shallow v2"], "v2", 1),
        (["want v3", "shallow v3", "deepen 2"], "v3", 1),
        (["want v3", "shallow v2", "deepen 3"], "v2", 2),
    ],
)
def test_a_pack_has_what_is_new_to_the_client_and_nothing_else(
    anyone, skill, downloads, wants, has, commits
):
    for content in ("# Second\n", "# Third\n"):
        skill.content = content
        skill.save()
    shas = tags_of(anyone)
    first = [re.sub(r"v\d", lambda tag: shas[tag[0]], text) for text in wants]

    body = b"".join(map(line, first)) + b"0000" + line(f"have {shas[has]}") + line("done")
    pack = upload(anyone, body).content.partition(b"PACK\0\0\0\2")[2]

    # Each commit comes with its tree and its SKILL.md. The client has the other file.
    assert int.from_bytes(pack[:4], "big") == commits * 3


OTHERS = [f"{number:040x}" for number in range(1000)]  # commits of another repository


@pytest.mark.parametrize(
    ("wants", "haves", "replies"),
    [
        ("v2", ["v1"], ["ACK v1 common", "ACK v1 ready", "NAK", "ACK v1"]),
        ("v1", ["v1"], ["ACK v1 common", "ACK v1 ready", "NAK", "ACK v1"]),
        ("v1", ["v2"], ["ACK v2 common", "NAK"]),
        ("v1", ["v1", UNKNOWN], ["ACK v1 common", f"ACK {UNKNOWN} ready", "NAK", "ACK v1"]),
        ("v1", ["v2", UNKNOWN], ["ACK v2 common", "NAK"]),
        ("v2", OTHERS[1:], ["NAK"]),
        ("v2", OTHERS, [f"ACK {OTHERS[-1]} ready", "NAK", f"ACK {OTHERS[-1]}"]),
    ],
)
def test_a_pack_follows_once_the_client_need_name_no_more_commits(
    anyone, skill, downloads, wants, haves, replies
):
    skill.content = "# Second\n"
    skill.save()
    shas = tags_of(anyone)
    want = line(f"want {shas[wants]} multi_ack_detailed no-done")
    named = b"".join(line(f"have {shas.get(have, have)}") for have in haves)

    response = upload(anyone, want + b"0000" + named + b"0000").content

    lines, is_pack, _ = response.partition(b"PACK")
    for tag, sha in shas.items():
        lines = lines.replace(sha.encode(), tag.encode())
    assert [text[4:] for text in lines.decode().splitlines()] == replies
    assert bool(is_pack) == (len(replies) > 2)


def test_haves_of_unknown_objects_are_ignored(anyone, skill):
    want = line(f"want {head_of(anyone)}\n") + b"0000"

    alone = upload(anyone, want + line("done\n"))
    others = b"".join(line(f"have {sha}\n") for sha in OTHERS)
    beside = upload(anyone, want + others + line("done\n"))

    assert alone.content.startswith(b"0008NAK\nPACK")
    assert beside.content == alone.content


def test_a_have_is_acknowledged_once(anyone, skill):
    head = head_of(anyone)
    body = line(f"want {head} multi_ack_detailed\n") + b"0000"
    body += (line(f"have {head}\n") + line(f"have {UNKNOWN}\n")) * 2 + b"0000"

    response = upload(anyone, body)

    acks = line(f"ACK {head} common\n") + line(f"ACK {UNKNOWN} ready\n")
    assert response.content == acks + line("NAK\n")


def test_so_many_haves_are_looked_up(anyone, skill, monkeypatch):
    head, counts, numbers_of = head_of(anyone), [], store.numbers_of

    def counted(repository, shas):
        counts.append(len(shas))
        return numbers_of(repository, shas)

    monkeypatch.setattr(store, "numbers_of", counted)
    haves = [line(f"have {number:040x}\n") for number in range(5_000)]
    wants = line(f"want {head} multi_ack_detailed\n") + b"0000"
    responses = [
        upload(anyone, gzip.compress(wants + body + b"0000"), **{"Content-Encoding": "gzip"})
        for body in (
            line(f"have {head}\n") + b"".join(haves),
            b"".join(haves) + line(f"have {head}\n"),
            line(f"have {UNKNOWN}\n") * 5_000,
        )
    ]

    assert counts == [1 + 1_023, 1 + 1_024, 2]
    first, second, third = (response.content.count(b"ACK ") for response in responses)
    assert (first, second, third) == (1_024, 0, 0)


def test_a_compressed_request_is_read(anyone, skill):
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")

    plain = upload(anyone, body)
    compressed = upload(anyone, gzip.compress(body), **{"Content-Encoding": "gzip"})

    assert compressed.content == plain.content


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"hello", {}),
        (b"00", {}),
        (b"ffff", {}),
        (line("want x\n") + b"0000", {}),
        (line(f"want {UNKNOWN}\n") + line("deepen -1\n") + b"0000", {}),
        (line(f"want {UNKNOWN}\n") + line("filter blob:none\n") + b"0000", {}),
        (line(f"want {UNKNOWN}\n") + b"0000" + line("want x\n"), {}),
        (b"\x1f\x8b nothing", {"Content-Encoding": "gzip"}),
        (gzip.compress(b"0" * 300_000), {"Content-Encoding": "gzip"}),
        (b"0000", {"Content-Encoding": "br"}),
    ],
)
def test_an_unreadable_request_is_refused(anyone, skill, body, headers):
    response = upload(anyone, body, **headers)

    text = "Request body must be a request of git, of at most 256 KiB"
    assert (response.status_code, response.json()) == (400, {"error": text})


def test_a_long_request_is_refused(anyone, skill):
    response = upload(anyone, b"0" * (64 * 1024 + 1))

    assert (response.status_code, response.json()) == (413, {"error": "Request body is too large"})


def test_a_request_for_nothing_gets_nothing(anyone, skill):
    assert upload(anyone, b"0000").content == b""


def test_refs_take_few_statements(anyone, skill, django_assert_max_num_queries):
    head_of(anyone)

    with django_assert_max_num_queries(3):
        anyone.get(f"{SKILL}{REFS}")


def test_a_pack_that_is_there_takes_few_statements(anyone, skill, django_assert_max_num_queries):
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")
    upload(anyone, body)

    # The skill, its repository, the commits, the limit.
    with django_assert_max_num_queries(4):
        upload(anyone, body)


def test_plain_http_is_refused_where_a_token_may_travel(anyone, skill, settings):
    settings.REQUIRE_HTTPS = True

    response = anyone.get(f"{SKILL}{REFS}")

    assert (response.status_code, response.json()) == (403, {"error": "HTTPS is required"})


def test_it_can_be_switched_off(own_server_of):
    SkillFactory(slug="pdf-tables")
    server = own_server_of(GIT="false")

    response = server.request("GET", f"{SKILL}{REFS}")

    assert (response.status, response.json()) == (
        404,
        {"error": "Not found: the API has no such path"},
    )
