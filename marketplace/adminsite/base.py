"""The base of every model admin: lists that stay fast however many rows there are."""

from functools import cached_property
from typing import NamedTuple

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ERROR_FLAG, ORDER_VAR, ChangeList
from django.contrib.postgres.fields import ArrayField
from django.core.paginator import Paginator
from django.db import DataError, connection
from django.db.models import Q, URLField
from django.http import Http404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html

from marketplace.adminsite import theme
from marketplace.adminsite.actions import ConfirmedActionsMixin
from marketplace.adminsite.edits import EditForm, EditsMixin
from marketplace.adminsite.pages import AdminPage

MAX_SORTED = 20_000  # rows of a table that any column may sort, as PostgreSQL estimates them
NEWEST_CHANGE = ["-updated_at"]


class MenuItem(NamedTuple):
    """Where the menu has a model; the sections come in the order of their first items."""

    section: str
    order: int
    icon: str


class BoundedPaginator(Paginator):
    """Counts no more than MAX_COUNT rows; to see others, staff search or filter."""

    MAX_COUNT = 10_000

    @cached_property
    def count(self):
        # Without the annotations, which may be as expensive for each of these rows.
        return self.object_list.order_by().values("pk")[: self.MAX_COUNT].count()


class StaffChangeList(ChangeList):
    def _get_default_ordering(self):
        """The newest change first, where the list can be sorted by it."""
        if "updated_at" in self.sortable_by and "updated_at" in self.list_display:
            return NEWEST_CHANGE
        return super()._get_default_ordering()

    def get_ordering(self, request, queryset):
        """Break ties in the direction of the sort, so that one index gives the whole order."""
        first, *rest = super().get_ordering(request, queryset)
        if ORDER_VAR not in self.params and self._get_default_ordering() == NEWEST_CHANGE:
            [first], rest = NEWEST_CHANGE, ["-pk"]
        is_descending = getattr(first, "descending", str(first).startswith("-"))
        return [first, *rest] if is_descending or first == "pk" else [first, "pk"]


# Without permissions: the action has its own.
ACTION_PAGE = AdminPage(
    "<path:object_id>/do/<slug:action>/", "do", ConfirmedActionsMixin.row_action_view, ()
)


class StaffModelAdmin(EditsMixin, ConfirmedActionsMixin, theme.ModelAdmin):
    menu = None  # a MenuItem, of every registered admin
    form = EditForm
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator
    list_disable_select_all = True
    list_filter_submit = True
    # A large table is sorted only by columns of which an index has the order.
    sortable_by = []
    formfield_overrides = {
        ArrayField: {"widget": theme.TextInput},
        URLField: {"assume_scheme": "https"},
    }
    change_form_template = "admin/row.html"
    delete_confirmation_max_display = 20
    change_list_template = "admin/list.html"

    # The parts of its pages; each stands alone, in any order. Other apps add theirs with `extend`.
    pages = []
    panels = []  # functions of (admin, request, row): the panels below the row's form, or None
    row_context = []  # functions of (admin, request, row): names for the template of its page
    form_context = []  # the same for the page that adds a row, too, where the row is None

    # What the dashboard shows of the rows.
    counted_by_day = ""  # a datetime field
    counted_query = {}  # the parameters of the list of `counted_rows`
    in_totals = False

    def counted_rows(self):
        """The rows that the totals and the days count."""
        return self.model.objects.all()

    def attention(self):
        """What staff should look at, as (text, queryset, query string of the list)."""
        return []

    def rankings(self, request):
        """Tables of a few rows, as {"title", "note", "rows": [(text, number, url)], "all": url}."""
        return []

    def get_changelist(self, request, **kwargs):
        return StaffChangeList

    def get_sortable_by(self, request):
        return self.small_columns() if is_small(self.model) else self.sortable_by

    def small_columns(self):
        """The columns by which a small table is sorted: all, but for rows of other tables."""
        relations = {field.name for field in self.opts.get_fields() if field.is_relation}
        return [name for name in self.list_display if name not in relations]

    def changelist_view(self, request, extra_context=None):
        context = {"page_buttons": self.buttons(request)}
        return super().changelist_view(request, context | (extra_context or {}))

    def get_changelist_instance(self, request):
        try:
            return super().get_changelist_instance(request)
        except (DataError, OverflowError, ValueError) as error:
            if [*request.GET] == [ERROR_FLAG]:
                raise  # There is no filter.
            # PostgreSQL cannot read a filter's value. Django redirects, before any action runs.
            raise IncorrectLookupParameters from error

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        row = self.get_object(request, unquote(object_id)) if object_id else None
        context = self.context_of(request, row) if row or not object_id else {}
        return super().changeform_view(
            request, object_id, form_url, context | (extra_context or {})
        )

    def context_of(self, request, row):
        """What the page of a row shows beside its form; `row` is None on the page that adds one."""
        context = {}
        if row:
            context = {
                "row_actions": self.row_actions(request, row),
                "page_buttons": self.buttons(request, row),
                "panels": self.panels_of(request, row),
                **self.text_of(row),
            }
        for part in [*(self.row_context if row else []), *self.form_context]:
            context |= part(self, request, row)
        return context

    def panels_of(self, request, row):
        return [shown for panel in self.panels if (shown := panel(self, request, row))]

    def text_of(self, row):
        """The row's text and files, for the template of its page and for that of its case."""
        return {}

    def state(self, row):
        return state_label(row.state)

    def extend(self, **registers):
        """Add an app's parts to the admin of a model below it, such as `pages=[…], actions=[…]`."""
        for name, parts in registers.items():
            setattr(self, name, [*getattr(self, name), *parts])

    def get_urls(self):
        return [page.path(self) for page in [*self.pages, ACTION_PAGE]] + super().get_urls()

    def buttons(self, request, row=None):
        """(label, address) of the pages to which the list or the row's page has a button."""
        arguments = [row.pk] if row else []
        return [
            (page.button, self.url_of(page.name, *arguments))
            for page in self.pages
            if page.button and page.is_of_row == bool(row) and page.is_open(self, request)
        ]

    def get_row_or_404(self, request, object_id):
        row = self.get_object(request, unquote(str(object_id)))
        if row is None:
            raise Http404
        return row

    def page(self, request, template, title, **context):
        """The response of an AdminPage."""
        shared = {**self.admin_site.each_context(request), "title": title, "opts": self.opts}
        return TemplateResponse(request, template, shared | context)

    def url_name(self, page):
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def url_of(self, page, *arguments):
        """The address of a page of this admin, such as `changelist` or `change`."""
        return reverse(f"admin:{self.url_name(page)}", args=arguments)

    def get_search_results(self, request, queryset, search_term):
        term = search_term.strip().replace("\0", "")
        return (self.find(queryset, term) if term else queryset), False

    def find(self, queryset, term):
        """The rows that match a search. Every search uses an index."""
        return queryset.none()


class ReadOnlyModelAdmin(StaffModelAdmin):
    """Rows that only the API writes: staff read them, and change them through actions."""

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_act_permission(self, request):
        """For actions: whether this person may change the rows."""
        return super().has_change_permission(request)

    def has_delete_permission(self, request, obj=None):
        return False


class OptionalMixin:
    """Without what `exists` looks for, nobody sees or does anything here."""

    def exists(self):
        raise NotImplementedError

    def has_module_permission(self, request):
        return self.exists() and super().has_module_permission(request)

    def has_view_permission(self, request, obj=None):
        return self.exists() and super().has_view_permission(request, obj)

    def has_add_permission(self, request):
        return self.exists() and super().has_add_permission(request)

    def has_change_permission(self, request, obj=None):
        return self.exists() and super().has_change_permission(request, obj)

    def has_delete_permission(self, request, obj=None):
        return self.exists() and super().has_delete_permission(request, obj)


class WholeNameSearchMixin:
    """Searches for a whole slug, handle or identifier, in each of `search_fields`."""

    def find(self, queryset, term):
        condition = Q(pk=None)  # no row
        for lookup in self.search_fields:
            relation, _, name = lookup.rpartition("__")
            if relation:
                related = self.opts.get_field(relation).related_model.objects
                # Looked up first: its key leads through an index, and a join would not.
                key = related.filter(**{name: term.lower()}).values_list("pk", flat=True).first()
                if key is not None:
                    condition |= Q(**{f"{relation}_id": key})
            else:
                condition |= Q(**{name: term})
        return queryset.filter(condition)


def is_small(model):
    """Whether PostgreSQL sorts the whole table in some hundredths of a second."""
    size = "SELECT reltuples < %s FROM pg_class WHERE oid = %s::regclass"
    with connection.cursor() as cursor:
        cursor.execute(size, [MAX_SORTED, model._meta.db_table])
        return cursor.fetchone()[0]


def state_label(state):
    """A state such as `published`, in the colour that admin.css gives it."""
    return format_html('<span class="state state-{}">{}</span>', state, state)


def link_to(request, model, pk):
    """The address of a row's page, or "" if this person may not open it.

    `model` is a name such as `agents.agent`.
    """
    app, _, name = model.partition(".")
    may_open = request.user.has_perm(f"{app}.view_{name}")
    return reverse(f"admin:{app}_{name}_change", args=[pk]) if may_open else ""
