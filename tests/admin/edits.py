"""Edits of a row in the admin, as a browser submits its form."""

from django import forms

from tests.admin.diffs import without_marks
from tests.admin.rows import change_page
from tests.browser import untouched_form


def opened(client, row):
    page = client.get(change_page(row))
    assert page.status_code == 200
    return untouched_form(page)


def save(client, row, form):
    return client.post(change_page(row), form)


def saved(client, row, form):
    response = save(client, row, form)
    assert response.status_code == 302, response.context["adminform"].form.errors


def refusal(response):
    """The errors by field, and the page's text."""
    assert response.status_code == 200
    return response.context["adminform"].form.errors, without_marks(response)


def opened_with_edits(client, row):
    """The form, and two edits of each field that has several other values: `{name: (one, other)}`.

    But for slugs, and for files, which have rows of their own.
    """
    page = client.get(change_page(row))
    posted = untouched_form(page)
    return posted, {
        name: two_edits(field, posted.get(name))
        for name, field in page.context["adminform"].form.fields.items()
        if not (field.disabled or has_two_values(field) or name in {"slug", "files"})
    }


def has_two_values(field):
    is_choice = isinstance(field, forms.ChoiceField)
    return isinstance(field, forms.BooleanField) or (is_choice and len(list(field.choices)) == 2)


def two_edits(field, posted):
    if isinstance(field, forms.ChoiceField):
        first, second, *_ = (str(key) for key, _ in field.choices if [str(key)] != (posted or []))
        return [first], [second]
    if isinstance(field, forms.URLField):
        return "https://a.example", "https://b.example"
    if isinstance(field, forms.IntegerField):
        return str(int(posted) + 1), str(int(posted) + 2)
    if posted.rstrip().endswith("---"):  # frontmatter
        return tuple(posted.replace("R", name) for name in ("Read", "Grep"))
    return f"{posted}a", f"{posted}b"
