"""A members-only marketplace within the process of the tests."""

import pytest
from django.test import Client

from interfaces.mcp import operations
from interfaces.openapi import document, views
from tests import openapi_contract, registry

# What describes the API is made once in a process, because its environment stays the same.
DESCRIPTIONS = [
    document.made_document,
    document.served_document,
    views.document_text,
    operations.operations,
    registry.descriptions,
    openapi_contract.routes,
    openapi_contract.validator,
]


def forget_descriptions():
    for made_once in DESCRIPTIONS:
        made_once.cache_clear()


@pytest.fixture
def members_only(settings):
    settings.CATALOGUE = "members"
    forget_descriptions()
    yield
    forget_descriptions()


@pytest.fixture(scope="module")
def descriptions_of_module():
    forget_descriptions()
    yield
    forget_descriptions()


@pytest.fixture
def members_only_module(settings, descriptions_of_module):
    """For modules of which all tests use it, because making a description takes a second."""
    settings.CATALOGUE = "members"


@pytest.fixture
def no_submissions(settings, descriptions_of_module):
    """For modules of which all tests use it."""
    settings.SUBMISSIONS = "off"


OTHERS = {"members_only", "members_only_module", "no_submissions"}


@pytest.fixture(autouse=True)
def described(request):
    """The API is described as it is by default, before a test changes the environment."""
    if not OTHERS & {*request.fixturenames}:
        document.made_document()


@pytest.fixture
def browser(db):
    """Somebody's browser."""
    return Client(raise_request_exception=False)
