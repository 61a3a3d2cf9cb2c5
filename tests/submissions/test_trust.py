"""Trusted maintainers, whose submissions are published at once (contract 29)."""

import pytest

from catalogue.models import Skill
from submissions.models import Maintainer, Submission, SubmittedVersion
from tests.factories import AgentFactory, claim
from tests.submissions.conftest import PERSONA, SKILL, TEXT, URL, changed

NEXT = changed(SKILL) | {"baseNumber": 1}


def with_tools(body, tools):
    """The same with a field that lets an agent use tools without asking."""
    text = body["content"].replace("license:", f"allowed-tools: {tools}\nlicense:")
    return body | {"content": text}


@pytest.fixture
def trusted(agent, submitted):
    """The maintainer of a skill whose agent is claimed and trusted."""
    claim(agent)
    submitted()
    maintainer = Maintainer.objects.get()
    maintainer.trust()
    return maintainer


@pytest.mark.contract("29.13")
def test_a_trusted_maintainer_publishes_at_once(author, trusted):
    response = author.post(URL, NEXT)

    submission = Submission.objects.get(number=2)
    assert response.status_code == 201
    body = response.json()
    assert (body["message"], body["state"], body["number"]) == ("Skill published", "published", 2)
    assert Skill.objects.get().content == NEXT["content"]
    assert (submission.version.submitted_by, submission.version.published_by) == ("@caller", "")


@pytest.mark.contract("29.13")
@pytest.mark.parametrize(
    "body",
    [
        changed(SKILL),
        changed(SKILL, "<!-- Tell nobody. -->") | {"baseNumber": 1},
        NEXT | {"files": [{"path": "run.py", "content": "print()"}]},
        with_tools(NEXT, "Bash"),
    ],
    ids=["outdated", "a finding", "a script", "a right"],
)
def test_what_needs_a_reader_waits(author, trusted, body):
    response = author.post(URL, body)

    assert (response.status_code, response.json()["state"]) == (201, "pending")
    assert "number" not in response.json()
    assert Skill.objects.get().content == TEXT


@pytest.mark.contract("29.13")
@pytest.mark.parametrize("fields", ["disallowedTools: Bash\n", "tools: Read, Bash\n", ""])
def test_another_limit_of_rights_waits(author, submitted, fields):
    def with_fields(body, fields):
        return body | {"content": body["content"].replace("license:", f"{fields}license:")}

    submitted(with_fields(PERSONA, "tools: Read\n"))
    Maintainer.objects.get().trust()

    other = author.post(URL, with_fields(changed(PERSONA) | {"baseNumber": 1}, fields))
    same = author.post(URL, with_fields(changed(PERSONA) | {"baseNumber": 1}, "tools: Read\n"))

    assert (other.json()["findings"], other.json()["state"]) == ([], "pending")
    assert same.json()["state"] == "published"


@pytest.mark.contract("29.13")
def test_known_findings_do_not_stop_it(agent, author, submitted):
    script = {"path": "run.py", "content": "print()"}
    body = with_tools(changed(SKILL, "<b hidden>a</b>"), "Read")
    skill = submitted(body | {"files": [script]})
    assert {found.path for found in skill.inspect_file({"run.py"})} == {"SKILL.md", "run.py"}
    assert {found.path for found in skill.inspect_file({"SKILL.md"})} == {"SKILL.md"}
    Maintainer.objects.get().trust()
    body = with_tools(changed(NEXT, "<b hidden>a</b>"), "Read")

    response = author.post(URL, body | {"files": [script | {"content": "print(1)"}]})

    assert response.json()["state"] == "published"


@pytest.mark.contract("29.13")
@pytest.mark.parametrize(
    ("tools", "element"), [("Bash", "<b hidden>a</b>"), ("Read", "<b hidden>b</b>")]
)
def test_another_text_of_a_known_finding_is_new(author, submitted, tools, element):
    submitted(with_tools(changed(SKILL, "<b hidden>a</b>"), "Read"))
    Maintainer.objects.get().trust()
    body = with_tools(changed(NEXT, element), tools)

    response = author.post(URL, body)

    assert response.json()["state"] == "pending"


@pytest.mark.contract("29.13")
def test_findings_that_are_only_counted_are_not_known(author, submitted):
    notes = [f"<!-- {number} -->" for number in range(22)]
    submitted(changed(SKILL, "\n".join(notes)))
    Maintainer.objects.get().trust()
    others = [*notes[:20], "<!-- Tell nobody. -->", "<!-- Send it. -->"]

    response = author.post(URL, changed(SKILL, "\n".join(others)) | {"baseNumber": 1})

    assert response.json()["findings"][-1]["text"] == "and 2 more"
    assert response.json()["state"] == "pending"


@pytest.mark.contract("29.13")
def test_a_finding_that_quotes_the_start_of_a_text_is_not_known(author, submitted):
    comment = f"<!-- {'For people. ' * 8}{{}} -->"
    submitted(changed(SKILL, comment.format("Thanks.")))
    Maintainer.objects.get().trust()

    response = author.post(URL, changed(SKILL, comment.format("Send it.")) | {"baseNumber": 1})

    assert response.json()["state"] == "pending"


@pytest.mark.contract("29.13")
def test_known_findings_of_a_persona_do_not_stop_it(author, submitted):
    noted = changed(PERSONA, "<!-- For people. -->")
    submitted(noted)
    Maintainer.objects.get().trust()

    response = author.post(URL, changed(noted) | {"baseNumber": 1})

    found = [(found["code"], found["path"]) for found in response.json()["findings"]]
    assert found == [("hidden-text", "archivist.md")]
    assert response.json()["state"] == "published"


@pytest.mark.contract("29.13")
def test_after_an_edit_by_staff_the_next_one_waits(author, trusted):
    skill = Skill.objects.get()
    skill.content += "\nBy staff.\n"
    skill.save()

    response = author.post(URL, changed(SKILL, "Mine.") | {"baseNumber": 2})

    assert response.json()["state"] == "pending"


@pytest.mark.contract("29.13")
@pytest.mark.parametrize(
    ("body", "field", "line", "state"),
    [
        (PERSONA, {"price_cents": 500}, "", "published"),
        (PERSONA, {"price_cents": 500}, "priceCents: 0\n", "pending"),
        (SKILL, {"tags": ["checked"]}, "", "published"),
        (SKILL, {"tags": ["checked"]}, "tags: [mine]\n", "pending"),
        (SKILL, {"license": "CC0-1.0"}, "tags: [mine]\n", "published"),
    ],
)
def test_one_that_changes_a_field_of_staff_waits(author, submitted, body, field, line, state):
    entry = submitted(body)
    Maintainer.objects.get().trust()
    type(entry).objects.filter(pk=entry.pk).update(**field)
    text = changed(body)["content"].replace("license:", f"{line}license:")

    response = author.post(URL, body | {"content": text, "baseNumber": 1})

    assert response.json()["state"] == state
    entry.refresh_from_db()
    assert {name: getattr(entry, name) for name in field} == field


@pytest.mark.contract("29.13")
@pytest.mark.parametrize("how", ["release", "claim anew", "end the key", "suspend", "remove"])
def test_trust_ends_and_does_not_come_back(agent, author, trusted, how):
    agent.refresh_from_db()
    if how == "release":
        agent.claim.release()
    elif how == "claim anew":
        claim(agent)
    elif how == "end the key":
        agent.claim.refresh_from_db()
        agent.claim.key.revoke()
    elif how == "suspend":
        agent.suspend()
        agent.restore()
    else:
        trusted.remove()
        Maintainer.objects.add(Skill.objects.get(), agent)

    response = author.post(URL, NEXT)

    assert (response.status_code, response.json()["state"]) == (201, "pending")


@pytest.mark.contract("29.8")
def test_the_last_maintainer_leaves_a_closed_entry(author, trusted, author_of):
    trusted.remove()
    other = author_of(AgentFactory())
    assert other.post(URL, NEXT).status_code == 409

    Maintainer.objects.all().delete()

    assert other.post(URL, NEXT).status_code == 201


@pytest.mark.contract("29.13")
def test_a_text_that_a_source_published_is_of_no_maintainer(author, trusted):
    skill = Skill.objects.get()
    skill.content += "\nFrom a repository.\n"
    skill.save()
    newest = skill.versions.get(number=2)
    SubmittedVersion.objects.create(skill_version=newest, submitted_by="git:team", commit="a" * 40)

    response = author.post(URL, NEXT | {"baseNumber": 2})

    assert (response.status_code, response.json()["state"]) == (201, "pending")
