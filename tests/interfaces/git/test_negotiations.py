"""What a client names, and the pack that it gets for it (contract 27.11)."""

import gzip
import re

import pytest

from interfaces.git import store
from tests.interfaces.git.test_git_http import UNKNOWN, head_of, line, tags_of, upload


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


@pytest.mark.contract("27.11")
def test_haves_of_unknown_objects_are_ignored(anyone, skill):
    want = line(f"want {head_of(anyone)}\n") + b"0000"

    alone = upload(anyone, want + line("done\n"))
    others = b"".join(line(f"have {sha}\n") for sha in OTHERS)
    beside = upload(anyone, want + others + line("done\n"))

    assert alone.content.startswith(b"0008NAK\nPACK")
    assert beside.content == alone.content


@pytest.mark.contract("27.11")
def test_a_have_is_acknowledged_once(anyone, skill):
    head = head_of(anyone)
    body = line(f"want {head} multi_ack_detailed\n") + b"0000"
    body += (line(f"have {head}\n") + line(f"have {UNKNOWN}\n")) * 2 + b"0000"

    response = upload(anyone, body)

    acks = line(f"ACK {head} common\n") + line(f"ACK {UNKNOWN} ready\n")
    assert response.content == acks + line("NAK\n")


@pytest.mark.contract("27.11")
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
