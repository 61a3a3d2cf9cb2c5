"""POST /api/v1/agents/me/submissions: agents propose skills and personas (contract 29)."""

import hashlib
from base64 import b64encode

import pytest

from agents.models import AgentToken
from agents.tokens import expiry
from catalogue.models import Persona, Skill
from marketplace.api.fields import timestamp
from submissions.models import Submission
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim
from tests.submissions.conftest import PERSONA, PROMPT, SKILL, TEXT, URL, changed, zip_of


def digest_of(*files):
    """The bytesDigest of (path, bytes, is_executable), in the order of paths."""
    total = hashlib.sha256()
    for path, data, is_executable in files:
        mode = "x" if is_executable else "-"
        total.update(f"{hashlib.sha256(data).hexdigest()} {mode} {path}\n".encode())
    return f"sha256:{total.hexdigest()}"


@pytest.mark.contract("29.5")
def test_a_new_skill_waits_for_staff(author, agent):
    response = author.post(URL, SKILL | {"note": "Try it."})

    submission = Submission.objects.get()
    assert response.status_code == 201
    assert response.json() == {
        "message": "Skill submitted",
        "submissionId": submission.public_id,
        "kind": "skill",
        "slug": "pdf-tables",
        "state": "pending",
        "digest": "sha256:" + hashlib.sha256(TEXT.encode()).hexdigest(),
        "bytesDigest": digest_of(("SKILL.md", TEXT.encode(), False)),
        "base": None,
        "findings": [],
        "note": "Try it.",
        "createdAt": timestamp(submission.created_at),
    }
    assert response["Cache-Control"] == "no-store"
    assert (submission.agent, submission.content, submission.files) == (agent, TEXT, [])
    assert not Skill.objects.exists()


@pytest.mark.contract("29.5")
def test_a_new_persona_waits_for_staff(author):
    response = author.post(URL, PERSONA)

    body = response.json()
    assert (response.status_code, body["message"]) == (201, "Persona submitted")
    assert (body["kind"], body["slug"], body["base"]) == ("persona", "archivist", None)
    assert body["bytesDigest"] == digest_of(("archivist.md", PROMPT.encode(), False))
    assert not Persona.objects.exists()


@pytest.mark.contract("29.5")
def test_files_come_as_text_or_as_base64(author):
    files = [
        {"path": "scripts/run.py", "content": "print()\n", "executable": True},
        {"path": "a.bin", "content": b64encode(b"\x00\xff").decode(), "encoding": "base64"},
    ]
    body = author.post(URL, SKILL | {"files": files}).json()

    assert body["bytesDigest"] == digest_of(
        ("SKILL.md", TEXT.encode(), False),
        ("a.bin", b"\x00\xff", False),
        ("scripts/run.py", b"print()\n", True),
    )
    assert [finding["code"] for finding in body["findings"]] == ["unreadable-file", "script"]
    with Submission.objects.get().unpacked() as path:
        stored = {
            file.relative_to(path.parent).as_posix(): (file.read_bytes(), file.stat().st_mode & 1)
            for file in path.parent.rglob("*")
            if file.is_file()
        }
    assert stored == {
        "SKILL.md": (TEXT.encode(), 0),
        "a.bin": (b"\x00\xff", 0),
        "scripts/run.py": (b"print()\n", 1),
    }


@pytest.mark.contract("29.4")
@pytest.mark.parametrize("folder", ["", "pdf-tables/"])
def test_a_zip_is_the_same_as_its_files(author, folder):
    script = {"path": "scripts/run.py", "content": "print()\n", "executable": True}
    first = author.post(URL, SKILL | {"files": [script], "note": "One."}).json()
    data = zip_of(
        {f"{folder}SKILL.md": TEXT, f"{folder}scripts/run.py": "print()\n"},
        executable=[f"{folder}scripts/run.py"],
    )
    response = author.generic(
        "POST", f"{URL}?note=Two.&lang=en", data, content_type="application/zip"
    )

    assert response.status_code == 200
    assert response.json() == first | {"note": "Two."}
    assert Submission.objects.get().note == "Two."


@pytest.mark.contract("29.7")
@pytest.mark.parametrize(("number", "codes"), [(None, ["outdated"]), (1, [])])
def test_a_change_names_its_base(author, number, codes):
    skill = SkillFactory(slug="pdf-tables", content=TEXT, license="MIT")

    body = author.post(URL, changed(SKILL) | {"baseNumber": number}).json()

    assert body["base"] == {"number": 1, "digest": skill.digest}
    assert [finding["code"] for finding in body["findings"]] == codes


@pytest.mark.contract("29.7")
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_what_is_not_public_is_answered_as_a_new_entry(author, status):
    SkillFactory(slug="pdf-tables", content=TEXT, status=status)

    response = author.post(URL, SKILL)

    assert (response.status_code, response.json()["base"]) == (201, None)


@pytest.mark.contract("29.9")
def test_a_newer_submission_replaces_the_pending_one(author):
    first = author.post(URL, SKILL).json()["submissionId"]
    second = author.post(URL, changed(SKILL)).json()["submissionId"]

    states = dict(Submission.objects.values_list("public_id", "state"))
    assert states == {first: "replaced", second: "pending"}
    assert Submission.objects.get(public_id=first).content is None


@pytest.mark.contract("29.8")
def test_agents_of_the_same_operator_maintain_together(agent, author_of, submitted):
    other = AgentFactory()
    claim(other, key=claim(agent))
    submitted()

    response = author_of(other).post(URL, changed(SKILL) | {"baseNumber": 1})

    assert response.status_code == 201
    assert response.json()["base"]["number"] == 1


@pytest.mark.contract("29.8", "29.15")
def test_an_ended_key_makes_nobody_a_maintainer(agent, author_of, submitted):
    thief = AgentFactory()
    claim(thief, key=claim(agent))
    submitted()
    thief.claim.refresh_from_db()
    thief.claim.key.revoke()

    response = author_of(thief).post(URL, changed(SKILL) | {"baseNumber": 1})

    assert response.status_code == 409
    assert response.json() == {"error": "Another author maintains this skill"}
    profile = author_of(thief).get("/api/v1/agents/me").json()
    assert profile["maintains"] == {"skills": 0, "personas": 0}
    assert author_of(agent).post(URL, changed(SKILL) | {"baseNumber": 1}).status_code == 201


@pytest.mark.contract("29.5")
def test_of_many_findings_the_others_are_counted(author):
    files = [{"path": f"{number}.py", "content": ""} for number in range(203)]
    hidden = {"path": "z", "content": "a\u200bb"}

    findings = author.post(URL, SKILL | {"files": [*files, hidden]}).json()["findings"]

    assert len(findings) == 201
    assert [found["code"] for found in findings[:2]] == ["hidden-text", "script"]
    assert findings[-1] == {
        "code": "script",
        "path": "SKILL.md",
        "line": None,
        "text": "and 4 more",
    }
    assert Submission.objects.get().changes_scripts


@pytest.mark.contract("29.2")
@pytest.mark.parametrize(
    ("scopes", "days", "is_minted"),
    [
        (["read", "install", "review"], None, True),
        (["read", "submit"], 5, True),
        (["read", "install", "review"], 5, False),
        (["read", "review"], None, False),
        (["read"], None, False),
    ],
)
def test_which_tokens_mint_one_that_submits(agent, client_of, scopes, days, is_minted):
    token = AgentToken.objects.issue(agent, scopes, expires_at=expiry(days))

    response = client_of(token=token.text).post(
        "/api/v1/agents/me/tokens", {"scopes": ["read", "submit"]}
    )

    assert response.status_code == (201 if is_minted else 403)
    if is_minted:
        assert response.json()["scopes"] == ["read", "submit"]


@pytest.mark.contract("29.6")
def test_a_bundled_skill_is_no_finding(author):
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="other")
    text = PROMPT.replace("license: MIT", "license: MIT\nskills: [pdf-tables]")

    response = author.post(URL, PERSONA | {"content": text})

    assert (response.status_code, response.json()["findings"]) == (201, [])
