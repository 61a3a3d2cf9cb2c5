"""Conditional requests: what changes an ETag, and what a 304 contains (contract 8.18)."""

from datetime import UTC, datetime
from hashlib import sha256

import pytest

from catalogue.models import Persona, Skill
from infrastructure.http_cache.store import cached_responses
from marketplace.api import responses
from tests.factories import PersonaFactory, SkillFactory

SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"


@pytest.mark.contract("8.18")
@pytest.mark.parametrize(
    "path",
    [
        *(SKILLS, f"{SKILLS}/pdf", f"{SKILLS}/pdf/SKILL.md", f"{SKILLS}/pdf/archive.zip"),
        *(PERSONAS, f"{PERSONAS}/scribe", f"{PERSONAS}/scribe/reviews"),
        *("/api/v1/facets?kind=skill", "/api/v1/changes"),
    ],
)
def test_an_unchanged_response_is_not_sent_again(anyone, path):
    PersonaFactory(slug="scribe", skills=[SkillFactory(slug="pdf")])
    first = anyone.get(path)

    for tag in (first["ETag"], f"W/{first['ETag']}", f'"x", {first["ETag"]}', "*"):
        again = anyone.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])


@pytest.mark.contract("8.18")
def test_a_changed_response_is_sent(anyone):
    SkillFactory(slug="pdf")
    etag = anyone.get("/api/v1/skills/pdf")["ETag"]
    Skill.objects.update(downloads=1)

    response = anyone.get("/api/v1/skills/pdf", headers={"If-None-Match": etag})

    assert response.status_code == 200
    assert response["ETag"] != etag


@pytest.mark.contract("8.18")
def test_a_304_has_no_content_length(anyone):
    SkillFactory(slug="pdf")
    etag = anyone.get("/api/v1/skills/pdf")["ETag"]

    again = [anyone.get("/api/v1/skills/pdf", headers={"If-None-Match": etag}) for _ in range(2)]
    cached_responses.clear()
    again.append(anyone.get("/api/v1/skills/pdf", headers={"If-None-Match": etag}))

    assert [response.status_code for response in again] == [304] * 3
    assert not [response for response in again if "Content-Length" in response.headers]


def test_the_same_page_has_the_same_bytes_when_rendered_again(anyone):
    SkillFactory.create_batch(3)
    first = anyone.get(SKILLS, {"limit": 1})
    cached_responses.clear()

    assert anyone.get(SKILLS, {"limit": 1}).content == first.content


API = "/api/v1"
PATHS = ["/skills", "/skills/pdf-tables", "/personas", "/personas/archivist"]


# For each `REPRESENTATION` the digest of the responses that show the rows below. If a response
# changed on purpose, raise it and add a line here; never change a line.
DIGESTS = {
    1: "1c131123c3ff8c13cfba078e9e6bccd0833d45194693f75ce9170b3816292416",
    2: "f528b2f3d09ff6f2326680066e741b02a4d4d733551e0ec70679f3169ba7e8e9",
    3: "de2a52e442c473fbf78bf2def75bc798f58b85a02bead0a91249562d75779020",
    4: "8f8fe3a61f14bcf43acf77122a1fe35189770976335ef578748a9b2e9aac2f89",
    5: "e67eb14beed2176dd0b455235ebf5203fe3939917cf265515f63bd4ad189328c",
    6: "c4c242f688d5d77c8a968d622ee1cd49e16dc3b6e81dd0cfd0ca5e11e7f05d8a",
}


@pytest.fixture
def rows(db):
    about = {
        "title": "Ünusual",
        "tags": ["pdf", "csv"],
        "runtimes": ["python"],
        "author": "Ada",
        "version": "1.10",
        "license": "MIT",
        "content": "Do it.\n" * 3,
    }
    skill = SkillFactory(
        slug="pdf-tables",
        public_id="skill_one",
        downloads=7,
        files={"scripts/run.py": b"print(1)\n"},
        **about,
    )
    PersonaFactory(
        slug="archivist",
        public_id="persona_one",
        installs=12,
        rating_sum=13,
        rating_count=3,
        skills=[skill],
        **about,
    )
    for model in (Skill, Persona):
        model.objects.update(
            created_at=datetime(2026, 1, 31, 9, 5, tzinfo=UTC),
            updated_at=datetime(2026, 2, 1, 23, 59, 59, 999_999, tzinfo=UTC),
        )


@pytest.mark.usefixtures("rows")
def test_a_changed_shape_has_a_new_number(anyone):
    content = b"\n".join(anyone.get(API + path).content for path in PATHS)

    assert sha256(content).hexdigest() == DIGESTS.get(responses.REPRESENTATION), (
        "A catalogue response has another shape: raise REPRESENTATION "
        "(marketplace/api/responses.py), and add its digest to DIGESTS in this file."
    )


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("path", PATHS)
def test_another_shape_or_release_gives_another_etag(anyone, settings, monkeypatch, path):
    def etag():
        cached_responses.clear()
        return anyone.get(API + path)["ETag"]

    first = etag()
    assert etag() == first
    monkeypatch.setattr(responses, "REPRESENTATION", responses.REPRESENTATION + 1)
    second = etag()
    settings.VERSION = "1.0.1"

    assert len({first, second, etag()}) == 3
