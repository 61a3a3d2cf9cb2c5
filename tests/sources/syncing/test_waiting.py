"""Sources that wait for some hours before they use a text (contract 30.8)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from catalogue.models import Skill
from sources.models import SourceFile
from tests.sources.syncing.conftest import published


def hours_later(number):
    SourceFile.objects.update(seen_at=timezone.now() - timedelta(hours=number))


@pytest.fixture
def patient(repository):
    repository.source.wait_hours = 24
    repository.source.save()
    repository.skill("pdf")
    repository.sync()
    return repository


@pytest.mark.contract("30.8")
def test_a_text_is_taken_after_its_hours(patient):
    assert (published(), patient.source.counts) == ({}, {"waiting": 1, "findings": 0})
    hours_later(23)
    assert patient.sync().counts == {"waiting": 1, "findings": 0}
    hours_later(24)

    assert patient.sync().counts == {"published": 1, "findings": 0}


@pytest.mark.contract("30.8")
def test_a_change_begins_to_wait_again(patient):
    hours_later(24)
    patient.sync()
    patient.skill("pdf", "Do it badly.")
    patient.sync()
    hours_later(23)
    patient.skill("pdf", "Do it well.")
    patient.sync()
    assert Skill.objects.get().number == 1
    hours_later(24)

    patient.sync()

    assert Skill.objects.get().number == 2
    assert "Do it well." in Skill.objects.get().content


@pytest.mark.contract("30.8")
def test_a_text_that_was_away_begins_to_wait_again(patient):
    hours_later(23)
    patient.remove("pdf")
    patient.sync()
    patient.skill("pdf")

    source = patient.sync()

    assert source.counts == {"waiting": 1, "findings": 0}
    assert published() == {}


def pause(source):
    source.pause()
    source.resume()


@pytest.mark.contract("30.8")
@pytest.mark.parametrize(
    "act",
    [pause, lambda source: source.fail("The server is away."), lambda s: s.change(ref="stable")],
    ids=["a pause", "a failed run", "another ref"],
)
def test_a_text_that_nobody_could_see_begins_to_wait_again(patient, act):
    hours_later(24)

    act(patient.source)

    assert patient.sync().counts == {"waiting": 1, "findings": 0}
    assert published() == {}


@pytest.mark.contract("30.8")
def test_what_is_published_does_not_wait_again(patient):
    hours_later(24)
    patient.sync()
    seen_at = SourceFile.objects.get().seen_at

    patient.source.fail("The server is away.")

    assert SourceFile.objects.get().seen_at == seen_at
