"""Paths in responses are those of Django's `reverse`."""

import pytest
from django.urls import reverse

from marketplace.api.links import path_of


@pytest.mark.parametrize(
    "view",
    [
        "persona-version-detail",
        "skill-version-detail",
        "skill-version-archive",
        "skill-version-skill-md",
    ],
)
def test_the_path_of_a_version(view):
    assert path_of(view, slug="pdf-tables", number=3) == reverse(view, args=["pdf-tables", 3])


def test_the_paths_of_a_skill_and_of_a_claim():
    assert path_of("skill-detail", slug="pdf") == reverse("skill-detail", args=["pdf"])
    assert path_of("claim", secret="Ow82") == reverse("claim", args=["Ow82"])
