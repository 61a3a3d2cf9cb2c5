"""What others have, and how much is pending, refuses a submission"""

import pytest

from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SourceFactory,
    SubmissionFactory,
)
from tests.submissions.conftest import PERSONA, SKILL, TEXT, URL, changed, zip_of


@pytest.mark.contract("29.6")
def test_what_changes_nothing_is_no_submission(author, submitted):
    submitted()

    response = author.post(URL, SKILL)

    assert (response.status_code, response.json()) == (409, {"error": "Nothing has changed"})


@pytest.mark.contract("29.8")
@pytest.mark.parametrize(("body", "kind"), [(SKILL, "skill"), (PERSONA, "persona")])
def test_only_maintainers_change_what_an_agent_has_created(author_of, submitted, body, kind):
    submitted(body)
    # The refusal comes before all others, so that nobody learns more.
    text = body["content"].replace("license: MIT", "priceCents: 5\nskills: [none]") + "\u202e"
    wrong = {"content": text, "files": [{"path": ".."}], "baseNumber": 0, "note": 1}

    response = author_of(AgentFactory()).post(f"{URL}?note=%ff", body | wrong)

    assert response.status_code == 409
    assert response.json() == {"error": f"Another author maintains this {kind}"}


@pytest.mark.contract("29.8")
def test_only_maintainers_change_it_by_a_zip(author_of, submitted):
    submitted()
    packed = zip_of({"SKILL.md": f"{TEXT}\u202e"})
    stranger = author_of(AgentFactory())

    response = stranger.generic(
        "POST", f"{URL}?note=a&note=b&baseNumber=0", packed, content_type="application/zip"
    )

    assert response.status_code == 409
    assert response.json() == {"error": "Another author maintains this skill"}


@pytest.mark.contract("30.5")
@pytest.mark.parametrize(
    ("body", "kind", "factory"),
    [(SKILL, "skill", SkillFactory), (PERSONA, "persona", PersonaFactory)],
)
def test_only_its_repository_changes_what_a_source_has_made(author, body, kind, factory):
    slug = "pdf-tables" if kind == "skill" else "archivist"
    factory(slug=slug, source=f"git:team:{slug}", status="withdrawn")
    text = body["content"].replace("license: MIT", "priceCents: 5\nskills: [none]")

    response = author.post(URL, body | {"content": text})

    assert response.status_code == 409
    assert response.json() == {"error": f"This {kind} comes from a repository"}


@pytest.mark.contract("29.9")
def test_an_agent_has_twenty_pending_submissions(author):
    for number in range(20):
        text = TEXT.replace("pdf-tables", f"pdf-{number}")
        assert author.post(URL, {"kind": "skill", "content": text}).status_code == 201

    response = author.post(URL, SKILL)
    replacing = author.post(URL, changed({"kind": "skill", "content": text}))

    assert response.status_code == 409
    assert response.json() == {"error": "Too many submissions are pending"}
    assert replacing.status_code == 201


@pytest.mark.contract("29.9")
def test_all_agents_together_have_a_limit_but_for_maintainers(
    settings, author, author_of, submitted
):
    submitted()
    settings.SUBMISSIONS_MAX = 1
    other = author_of(AgentFactory())
    assert other.post(URL, PERSONA).status_code == 201

    assert author.post(URL, changed(PERSONA)).status_code == 409
    assert author.post(URL, changed(SKILL)).status_code == 201


@pytest.mark.contract("30.6")
def test_nobody_counts_the_submissions_of_sources(settings, author):
    SubmissionFactory(agent=None, source=SourceFactory(), path="csv/SKILL.md", size=2**30)
    settings.SUBMISSIONS_MAX = 1

    assert author.post(URL, SKILL).status_code == 201
