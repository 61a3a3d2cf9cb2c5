"""Public reads of the catalogue, shared by the API, the website, Agent Skills and MCP."""

from datetime import UTC, datetime
from functools import partial

from django.db.models import IntegerField, Value
from django.db.models.functions import Cast

from catalogue.models import FREE, Change, Feed, Persona, Skill, Status, is_slug
from catalogue.search.facet_counts import facet_count
from catalogue.search.ranking import MAX_RESULTS
from catalogue.search.reads import CompiledRanking, version_validator
from catalogue.search.zero_results import count_zero_results
from marketplace.api.pagination import KeysetPagination
from marketplace.db.compiled_queries import (
    InlineConstant,
    bind,
    compiled,
    compiled_once,
    versioned,
)
from marketplace.db.keysets import among_ids, as_array, compile_page, count_rows
from marketplace.db.replicas import on_replica
from marketplace.db.rows import from_row
from marketplace.http_cache.lists import FilteredList, Rows, fetch_ranked, fetch_sorted
from marketplace.http_cache.validators import Read, Validator

MAX_PAGE = KeysetPagination.max_limit
WHOLE = IntegerField()
EPOCH = datetime.fromtimestamp(0, UTC)


@versioned
def skill_of_slug(slug):
    return Skill.objects.published().with_row_version().in_detail().filter(slug=slug).order_by()


@versioned
def persona_of_slug(slug):
    return Persona.objects.published().with_row_version().in_detail().filter(slug=slug).order_by()


@versioned
def skills_of_persona(slug):
    """The published skills that a free persona bundles."""
    bundled = Skill.objects.published().with_row_version().order_by("slug")
    status = InlineConstant(Status.PUBLISHED)
    return bundled.filter(personas__slug=slug, personas__status=status, personas__price_cents=FREE)


def in_detail(model, query, slug):
    read = Read.of(query, slug=slug) if is_slug(slug) else None
    if read is None or not read.value:
        raise model.NotFound
    return read._replace(value=from_row(model, read.value[0]))


@on_replica
def skill(slug):
    """A published skill in detail. Raises SkillNotFound."""
    return in_detail(Skill, skill_of_slug, slug)


@on_replica
def with_skill(slug, use):
    """Call `use` with a published skill, whose files it may read. Raises SkillNotFound."""
    return use(skill(slug).value)


@on_replica
def persona(slug):
    """A published persona, without its ratings. Raises PersonaNotFound."""
    return in_detail(Persona, persona_of_slug, slug)


@on_replica
def rated_persona(slug):
    """The same with its `ratings`."""
    read = persona(slug)
    # Outside of a read the primary would be asked. A new review changes the persona's row, too.
    read.value.ratings = read.value.rating_distribution()
    return read


@on_replica
def bundle(slug):
    """A published persona and its skills; a priced one has none. Raises PersonaNotFound."""
    bundling = persona(slug).value
    if not bundling.is_free:
        return Read((bundling, []), None)
    skills, versions = skills_of_persona.select(slug=slug)
    # Once the persona is withdrawn or priced, the check finds no rows. So a response without any
    # must never count as fresh.
    validator = Validator(partial(skills_of_persona.versions, slug=slug), versions or None)
    return Read((bundling, [from_row(Skill, row) for row in skills]), validator)


class EntryList(FilteredList):
    """All published entries of a model, and the best results of a search among them."""

    def __init__(self, model):
        super().__init__(partial(listed, model), kept_count)
        self.model = model
        self.by_ids = versioned(lambda: among_ids(listed(model)).order_by("pk"))

    def __call__(self, filterset, address=None):
        """Pass the client's `address` to count searches without results."""
        return Rows(filterset, partial(self.fetch_for, filterset, address))

    def fetch_for(self, filterset, address, cut):
        rows = self.fetch(filterset, cut)
        # A filter that leaves nothing says nothing about the text.
        if address and filterset.words and not rows.count and not filterset.values:
            count_zero_results(self.model.__name__.lower(), filterset.words, address)
        return rows

    @on_replica
    def fetch(self, filterset, cut):
        if not filterset.words:
            return super().fetch(filterset, cut)
        best, count, validator = self.search(filterset, is_first_page=cut.position is None)
        if filterset.sort == "relevance":
            return fetch_ranked(self.by_ids, best, count, cut, [validator])
        params = {"ids": as_array(row_id for _, row_id in best), "results": count}
        page, sort = partial(self.page_of_results, filterset), filterset.sorts[filterset.sort]
        return fetch_sorted(page, sort, params, cut, [validator])

    def search(self, filterset, *, is_first_page):
        """The best results, how many there are, and the validator for both."""

        def compile_ranking(entries):
            ranking = CompiledRanking(entries, is_filtered=bool(filterset.values))
            return ranking, ranking.results

        rank, rank_again = self.compiled(filterset, compile_ranking, "ranking")
        # The first page by relevance is cut from the best of a ranking, all others from the whole.
        is_cut = is_first_page and filterset.sort == "relevance"
        options = {
            "text": filterset.words,
            "limit": MAX_PAGE + 1 if is_cut else MAX_RESULTS,
            "facets": filterset.facets,
            "is_selective": filterset.is_selective,
            "bound": filterset.values,
        }
        best, count, version = rank(**options)
        if filterset.is_versioned:
            return best, count, version_validator(version)
        return best, count, Validator(partial(rank_again, **options), (best, count))

    def page_of_results(self, filterset, number, place):
        """The `compile_page` of all searches in this order, to which their results are bound."""

        def compile_results():
            rows, count = among_ids(listed(self.model)), bind(lambda results: Cast(results, WHOLE))
            return compile_page(rows, filterset.sorts[filterset.sort], count, number, place)

        return compiled_once((self, "results", filterset.sort, number, place), compile_results)


def listed(model):
    return model.objects.published().with_row_version().for_list()


def kept_count(entries, filterset, counted):
    """The numbers of one facet are kept; others are counted."""
    if filterset.counted_facet is None:
        return count_rows(entries)
    return facet_count(entries.model, filterset.counted_facet, counted)


skills, personas = EntryList(Skill), EntryList(Persona)


@compiled
def feed():
    return Feed.objects.values_list("newest_at", "complete_since")


def feed_state():
    """Up to when there are changes, and since when none was dropped."""
    return tuple(feed.first() or (EPOCH, EPOCH))


# Without a count: there may be a million.
all_changes = FilteredList(Change.objects.all, lambda *_: Value(0, WHOLE))


def changes(filterset):
    return Rows(filterset, partial(fetch_changes, filterset))


@on_replica
def fetch_changes(filterset, cut):
    # Before the page: what is committed in between is announced once more.
    validator = Validator.of(feed_state)
    read_until, row_id = cut.position
    after = filterset.sorts[filterset.sort].bound((read_until.isoformat(), row_id))
    select, _ = all_changes.page(filterset, cut.number, "after")
    rows, _ = select(**filterset.values, **after)
    # After the page, from which changes may have been dropped since.
    _, complete_since = feed_state()
    return Read(rows, validator), complete_since
