"""Category, tags and license of many entries: edited together, suggested, renamed and merged."""

from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.postgres.forms import SimpleArrayField
from django.shortcuts import redirect

from catalogue.admin.filters import published_and_others
from catalogue.admin.findings import TextsForm
from catalogue.admin.forms import suggested_input
from catalogue.inspection import license_findings
from catalogue.models import MAX_LABELS, Persona, Skill, Spellings, label_key, labeled
from marketplace.adminsite.actions import confirmed_action
from marketplace.adminsite.pages import AdminPage
from marketplace.hidden_text import visible
from marketplace.models import max_length
from search.admin.finding import values_in_use

# The fields of a form whose values are suggested, and the facets that count them.
SUGGESTED = {"category": "category", "tags": "tag", "license": "license", "author": "author"}
MAX_TAGS = 500  # that the page of tags lists, and values that a field suggests
MAX_SEARCHED = 20_000  # tags of a kind, the most common ones
MAX_AT_ONCE = 500  # entries in which one request renames a tag


def suggestions(model):
    """`{field: values in use}`, for the datalists of a form."""
    values = values_in_use(model, *SUGGESTED.values(), limit=MAX_TAGS)
    return {name: [value for value, _ in values[facet]] for name, facet in SUGGESTED.items()}


def text_field(name):
    return forms.CharField(
        required=False, max_length=max_length(Skill, name), widget=suggested_input(name)
    )


def tags_field():
    return SimpleArrayField(
        forms.CharField(max_length=max_length(Skill, "tags")),
        required=False,
        max_length=MAX_LABELS,
        widget=suggested_input("tags"),
        help_text="Separated by commas.",
    )


class LabelsForm(TextsForm):
    """New values for the rows. An empty field changes nothing."""

    category = text_field("category")
    add_tags = tags_field()
    remove_tags = tags_field()
    license = text_field("license")

    def clean(self):
        if not any(self.cleaned_data.values()):
            raise forms.ValidationError("Enter at least one value.")
        labels = {"category": "category", "tags": "add_tags", "license": "license"}
        given = {name: self.cleaned_data.get(field) for name, field in labels.items()}
        as_known = Spellings(type(self.rows[0])).of({n: v for n, v in given.items() if v})
        self.cleaned_data |= {labels[name]: value for name, value in as_known.items()}


class TagForm(TextsForm):
    new = forms.CharField(
        max_length=max_length(Skill, "tags"),
        widget=suggested_input("tags"),
        label="New name",
        help_text="If this tag already exists, the two are merged.",
    )

    def __init__(self, data, rows, tag):
        super().__init__(data, rows)
        self.tag = tag

    def clean_new(self):
        new = self.cleaned_data["new"]
        if new == self.tag:
            raise forms.ValidationError("Enter a name that differs from the current one.")
        if "," in new:
            raise forms.ValidationError("A tag must not contain a comma.")
        if label_key(new) == label_key(self.tag):
            return new  # another spelling of the same tag
        [new] = Spellings(type(self.rows[0])).of({"tags": [new]})["tags"]
        return new


def suggested(model_admin, _request, _entry):
    return {"suggestions": suggestions(model_admin.model)}


@confirmed_action(
    "Edit category, tags and license",
    LabelsForm,
    text="Fields that you leave empty stay as they are.",
    suggestions=lambda model_admin, _: suggestions(model_admin.model),
)
def edit_labels(model_admin, request, queryset, **values):
    names = [name.replace("_", " ") for name, value in values.items() if value]
    model_admin.change_each(
        request,
        queryset,
        f"Edited: {', '.join(names)}.",
        lambda entry: entry.change_labels(**values),
    )
    if values["license"]:
        for finding in license_findings("license", values["license"], settings.LICENSES):
            model_admin.message_user(request, visible(str(finding)), messages.WARNING)


def tags_view(model_admin, request):
    """The tags of both kinds that have the searched text, the most common first."""
    text = request.GET.get("q", "").strip()
    admins = [model_admin.admin_site.get_model_admin(model) for model in (Skill, Persona)]
    admins = [admin for admin in admins if admin.has_view_permission(request)]
    tags = {}  # by lower case: a spelling, and the cells of the kinds
    for place, admin in enumerate(admins):
        for tag, number in values_in_use(admin.model, "tag", limit=MAX_SEARCHED)["tag"]:
            if text.lower() in tag.lower():
                _, cells = tags.setdefault(tag.lower(), (tag, [None] * len(admins)))
                cells[place] = cell_of(admin, request, tag, number)
    rows = sorted(tags.values(), key=lambda row: -sum(cell["number"] for cell in row[1] if cell))
    return model_admin.page(
        request,
        "admin/search/tags.html",
        "Tags",
        text=text,
        kinds=[admin.opts.verbose_name_plural for admin in admins],
        tags=rows[:MAX_TAGS],
        more=max(len(rows) - MAX_TAGS, 0),
    )


def cell_of(admin, request, tag, number):
    """The published entries of a kind that have a tag; `rename` is empty for who may not."""
    query = urlencode({"tag": tag})
    rename = f"{admin.url_of('rename_tag')}?{query}" if admin.has_change_permission(request) else ""
    return {"number": number, "url": f"{admin.url_of('changelist')}?{query}", "rename": rename}


def rename_tag_view(model_admin, request):
    """Rename a tag, in drafts too. If the new name exists, the two are merged."""
    tag, back = request.GET.get("tag", "").replace("\0", ""), model_admin.url_of("tags")
    entries = tagged(model_admin.model, tag)
    if not entries:
        model_admin.message_user(request, f"No {model_admin.opts.verbose_name} has the tag {tag}.")
        return redirect(back)
    is_confirmed = model_admin.is_confirmed(request, entries)
    form = TagForm(request.POST if is_confirmed else None, entries, tag)
    if not (is_confirmed and model_admin.is_answered(request, form)):
        return model_admin.confirm(
            request,
            entries,
            "rename_tag",
            label=f"Rename the tag {tag}",
            text=f"This changes the tag in each of these {model_admin.opts.verbose_name_plural}, "
            "drafts included.",
            form=form,
            back=back,
            suggestions=suggestions(model_admin.model),
        )
    new = form.cleaned_data["new"]
    model_admin.change_each(
        request,
        model_admin.model.objects.filter(
            pk__in=[entry.pk for entry in tagged(model_admin.model, tag, new)]
        ),
        f"Renamed the tag {tag} to {new}.",
        lambda entry: entry.change_labels(add_tags=[new], remove_tags=[tag]),
    )
    if tagged(model_admin.model, tag, new):
        model_admin.message_user(
            request,
            f"More entries have the tag {tag}. Rename it again to change them, too.",
            messages.WARNING,
        )
    return redirect(back)


def tagged(model, tag, new=None):
    """The newest entries with a tag that is not yet spelled as `new`; as many as one request has
    time for.
    """
    entries = published_and_others(model.objects, labeled("tags", [tag]))
    if new is not None and label_key(new) == label_key(tag):
        entries = entries.exclude(tags__contains=[new])
    return list(entries.defer(*model.long_columns()).order_by("-pk")[:MAX_AT_ONCE])


PAGES = [
    AdminPage("tags/", "tags", tags_view, button="Tags"),
    AdminPage("tags/rename/", "rename_tag", rename_tag_view, ("change",)),
]
