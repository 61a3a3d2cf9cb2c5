import pytest

from catalogue.look_alikes import look_alike_keys

LOOK_ALIKES = [
    ("pdf-table", "pdf-tables"),
    ("tables-pdf", "table-pdf"),
    ("tables-pdf", "tablespdf"),
    ("g00gle", "google"),
    ("cli", "c1i"),
    ("cli", "cii"),
    ("modern", "modem"),
    ("pdf-tables", "pdftables"),
    ("bar-n", "bam"),
]
DIFFERENT = [("pdf-table", "pdf-cable"), ("pdf", "pfd"), ("a", "as-b"), ("mn", "nm")]


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES)
def test_slugs_that_look_alike(one, other):
    assert not look_alike_keys(one).isdisjoint(look_alike_keys(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_slugs_that_do_not_look_alike(one, other):
    assert look_alike_keys(one).isdisjoint(look_alike_keys(other))
