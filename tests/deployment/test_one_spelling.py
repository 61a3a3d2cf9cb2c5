"""The migration that gives the labels of existing entries one spelling."""

from importlib import import_module

import pytest
from django.db import connection

from catalogue.models import Persona, Skill
from search.models import FacetCount
from tests.factories import PersonaFactory, SkillFactory

PARTS, WHOLE = "Jo\u0308rg", "J\u00f6rg"
migration = import_module("catalogue.migrations.0009_one_spelling").Migration


def write(model, entry, **values):
    """Write values past the fields, as a former release did."""
    columns = ", ".join(f"{name} = %s" for name in values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {model._meta.db_table} SET {columns} WHERE id = %s",
            [*values.values(), entry.pk],
        )


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "factory"), [(Skill, SkillFactory), (Persona, PersonaFactory)])
def test_labels_of_existing_entries_get_one_spelling(anyone, model, factory):
    draft, first, second, other = (
        factory(status=status) for status in ("draft", *["published"] * 3)
    )
    write(model, draft, category="DATA", tags=["pdf"])
    write(model, first, category="Data", author=PARTS, tags=["PDF", PARTS, "pdf"], runtimes=["A"])
    write(model, second, category="data", author=WHOLE, tags=["csv", "pdf"], license="mit")
    write(model, other, title=PARTS, tags=["other"])
    before = {entry.pk: entry for entry in model.objects.all()}

    with connection.cursor() as cursor:
        for operation in migration.operations:
            cursor.execute(operation.sql)

    rows = model.objects.order_by("pk").values_list("category", "author", "tags", "runtimes")
    assert list(rows) == [
        ("Data", "", ["PDF"], []),
        ("Data", WHOLE, ["PDF", WHOLE], ["A"]),
        ("Data", WHOLE, ["csv", "PDF"], []),
        ("development", "", ["other"], []),
    ]
    for entry in model.objects.all():
        for name in ("title", "number", "digest", "updated_at"):
            assert getattr(entry, name) == getattr(before[entry.pk], name)
    counted = FacetCount.objects.filter(kind=model.kind, facet="tag", entries__gt=0)
    assert set(counted.values_list("value", "entries")) == {
        ("PDF", 2),
        (WHOLE, 1),
        ("csv", 1),
        ("other", 1),
    }
