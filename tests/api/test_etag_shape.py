"""The same rows in another shape are another answer, so that no client keeps the old one"""

from datetime import UTC, datetime
from hashlib import sha256

import pytest

from catalogue import views
from catalogue.models import Persona, Skill
from marketplace.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory

API = "/api/v1"
PATHS = ["/skills", "/skills/pdf-tables", "/personas", "/personas/archivist"]
# What `catalogue.views.SHAPE` stands for: the digest of what the rows below are shown as. Where an
# answer has changed on purpose, raise SHAPE and add a line here; never change a line.
DIGESTS = {
    1: "1c131123c3ff8c13cfba078e9e6bccd0833d45194693f75ce9170b3816292416",
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
    skill = SkillFactory(slug="pdf-tables", public_id="skill_one", downloads=7, **about)
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
def test_a_changed_shape_has_a_number_of_its_own(anyone):
    shown = b"\n".join(anyone.get(API + path).content for path in PATHS)

    assert sha256(shown).hexdigest() == DIGESTS[views.SHAPE], (
        "An answer of the catalogue has another shape: raise SHAPE in catalogue/views.py, and add "
        "its digest to DIGESTS in this file."
    )


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("path", PATHS)
def test_another_shape_or_release_gives_another_etag(anyone, settings, monkeypatch, path):
    def etag():
        cached_responses.clear()
        return anyone.get(API + path)["ETag"]

    first = etag()
    assert etag() == first
    monkeypatch.setattr(views, "SHAPE", views.SHAPE + 1)
    second = etag()
    settings.VERSION = "1.0.1"

    assert len({first, second, etag()}) == 3
