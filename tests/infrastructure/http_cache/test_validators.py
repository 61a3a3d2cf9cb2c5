"""Validators: how long a cached response stays fresh."""

from functools import partial

import pytest

from catalogue.models import Skill
from infrastructure.db.base import DatabaseWrapper
from infrastructure.db.compiled_queries import versioned
from infrastructure.http_cache.validators import ALWAYS_FRESH, Read, Validator
from tests.factories import SkillFactory


@pytest.fixture(autouse=True)
def history(monkeypatch, db):
    """The history that is read: the last one of a list."""
    histories = ["first"]
    monkeypatch.setattr(DatabaseWrapper, "history", property(lambda _: histories[-1]))
    return histories


def validator(seen, check=None):
    return Validator(check or (lambda: seen), seen)


def test_it_is_fresh_while_the_check_returns_the_same():
    state = [1]
    of_state = Validator.of(partial(tuple, state))

    assert of_state.is_fresh()
    state.append(2)
    assert not of_state.is_fresh()
    state.pop()
    assert of_state.is_fresh()


def test_a_value_of_none_has_no_validator():
    assert Validator.of(lambda: None) is None


@pytest.mark.parametrize("empty", [0, "", [], ()])
def test_an_empty_value_has_a_validator(empty):
    assert Validator.of(lambda: empty).is_fresh()


@pytest.mark.infrastructure
def test_in_another_history_it_is_not_fresh(history):
    of_rows = validator([("1", "x")])
    history.append("second")

    assert not of_rows.is_fresh()
    assert validator([("1", "x")]).is_fresh()
    assert ALWAYS_FRESH.is_fresh()


def test_one_of_several_is_fresh_while_each_is():
    states = [[1], [2]]
    whole = Validator.of_all([validator([1], lambda: states[0]), validator([2], lambda: states[1])])

    assert whole.is_fresh()
    states[1] = [3]
    assert not whole.is_fresh()


@pytest.mark.infrastructure
def test_one_of_several_has_their_history(history):
    parts = [validator(1), ALWAYS_FRESH, validator(2)]
    history.append("second")

    assert Validator.of_all(parts).history == "first"
    assert Validator.of_all([ALWAYS_FRESH, ALWAYS_FRESH]).history is None
    assert Validator.of_all([*parts, validator(3)]) is None


def test_without_one_of_several_there_is_none():
    assert Validator.of_all([validator(1), None]) is None
    assert Validator.of_all([None]) is None
    assert Validator.of_all([ALWAYS_FRESH]) is ALWAYS_FRESH
    assert Validator.of_all([]) is ALWAYS_FRESH


@versioned
def skills(category):
    return Skill.objects.filter(category=category).with_row_version().order_by("pk")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [0, 2])
def test_a_read_is_fresh_until_its_rows_change(number):
    SkillFactory(category="text")
    SkillFactory.create_batch(number, category="data")
    read = Read.of(skills, category="data")
    assert (len(read.value), read.validator.is_fresh()) == (number, True)

    Skill.objects.filter(category="text").update(downloads=1)
    SkillFactory(category="text")
    assert read.validator.is_fresh()
    new = SkillFactory(category="data")
    assert not read.validator.is_fresh()
    Skill.objects.filter(pk=new.pk).update(category="text")
    assert read.validator.is_fresh()
    Skill.objects.filter(category="data").update(downloads=1)
    assert read.validator.is_fresh() == (number == 0)
