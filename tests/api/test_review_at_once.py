"""A review by one statement does what the review step by step does, or nothing at all."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.forms import model_to_dict
from django.utils import timezone
from rest_framework.exceptions import APIException

from catalogue.models import Persona, Status
from installs.models import PersonaInstall
from reviews.models import Review
from tests.factories import PersonaFactory, PersonaInstallFactory, review

RATING = Decimal("3.25")


def installed(_agent):
    """The usual first review."""


def not_installed(agent):
    PersonaInstall.objects.filter(agent=agent).delete()


def unknown(agent):
    not_installed(agent)
    Persona.objects.all().delete()


def withdrawn(_agent):
    Persona.objects.update(status=Status.WITHDRAWN)


def priced(_agent):
    Persona.objects.update(price_cents=500)


def suspended(agent):
    type(agent).objects.get(pk=agent.pk).suspend()


def reviewed(agent):
    review(agent, Persona.objects.get(), 5)
    long_ago = timezone.now() - timedelta(days=1)
    Review.objects.update(created_at=long_ago, updated_at=long_ago)


def reviewed_and_hidden(agent):
    reviewed(agent)
    Review.objects.get().hide("Advertising.")


def reviewed_by_another(_agent):
    another = PersonaInstallFactory(persona=Persona.objects.get()).agent
    review(another, Persona.objects.get(), 2)


SITUATIONS = [
    installed,
    not_installed,
    unknown,
    withdrawn,
    priced,
    suspended,
    reviewed,
    reviewed_and_hidden,
    reviewed_by_another,
]


def result_of(submit, agent):
    """What is returned or raised, and what the database holds then; all of it is undone."""
    begun = timezone.now()
    with transaction.atomic():
        made = None
        try:
            made = submit(agent, "wanted", RATING, "Tidy.")
        except APIException as error:
            outcome = repr(error)
        else:
            outcome = made and made[1]
        rows = [
            *Review.objects.order_by("agent").values(
                "agent", "persona", "rating", "comment", "hidden_at"
            ),
            *Persona.objects.values("rating_sum", "rating_count", "rating_avg"),
        ]
        if made is not None:
            given, is_new = made
            stored = Review.objects.get(pk=given.pk)
            assert model_to_dict(stored) == model_to_dict(given)
            assert (stored.public_id, given.persona.slug) == (given.public_id, "wanted")
            assert (stored.created_at, stored.updated_at) == (given.created_at, given.updated_at)
            assert stored.updated_at >= begun
            assert (stored.created_at == stored.updated_at) == is_new
        transaction.set_rollback(True)
    return outcome, rows


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_both_ways_come_to_the_same(agent, situation):
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="wanted"))
    situation(agent)
    objects = Review.objects
    before = result_of(lambda *_: None, agent)

    at_once = result_of(objects.submit_at_once, agent)
    stepwise = result_of(objects.submit_stepwise, agent)

    assert at_once in (stepwise, before)
    does_nothing = stepwise[1] == before[1] or situation is reviewed_and_hidden
    assert (at_once == stepwise) == (not does_nothing)
