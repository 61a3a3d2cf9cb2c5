import pytest
from django.test import Client

from tests.factories import PersonaFactory, SkillFactory


@pytest.fixture
def person(db):
    """The browser of somebody who has never been here."""
    return Client(raise_request_exception=False, enforce_csrf_checks=True)


@pytest.fixture
def catalogue(db):
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF tables",
        description="Extracts tables.",
        category="data",
        tags=["pdf"],
        runtimes=["python"],
        author="Harbour Tools",
        version="1.10",
        license="MIT",
        content="---\nname: pdf-tables\n---\n\n# How\n\nUse **pdfplumber**.\n",
        downloads=1234,
    )
    return PersonaFactory(slug="archivist", title="Archivist", skills=[skill], content="*Quiet.*")
