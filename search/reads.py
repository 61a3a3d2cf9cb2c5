"""Public reads of the lists, searches and facets (docs/develop/search.md)."""

from difflib import get_close_matches
from functools import cache, partial

from django.db.models import IntegerField
from django.db.models.functions import Cast

from catalogue.frontmatter import as_slug
from catalogue.models import Persona, Skill, Status
from infrastructure.db.compiled_queries import bind, compiled, compiled_once, versioned
from infrastructure.db.statements import fetch_all
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.keysets import among_ids, as_array, compile_page, count_rows
from marketplace.api.lists import FilteredList, Rows, fetch_ranked, fetch_sorted
from marketplace.api.pagination import KeysetPagination
from search import ranking
from search.facet_counts import CATALOGUE_VERSION, FACET_VALUES, MAX_VALUES, facet_count
from search.ranking import MAX_RESULTS
from search.spelling import COMPLETION, LONG, MAX_CORRECTIONS, QUERY_WORDS, known_words
from search.zero_results import count_zero_results

MAX_PAGE = KeysetPagination.max_limit
COMPARED = 50  # of the best results of a search for a slug's words
MAX_NEAR = 3


class CompiledRanking:
    """Ranks the entries of a queryset by a text. It is compiled once, like other queries."""

    def __init__(self, entries, *, is_filtered=False):
        self.passing = compiled(lambda: entries.order_by().values_list("id", "slug", "title"))
        places = range(len(self.passing.compiled.placeholders))
        passing = self.passing.compiled.sql % tuple(f"%(entries_{place})s" for place in places)
        self.kind, self.is_filtered = entries.model.kind, is_filtered
        self.sql = ranking.ranking_sql(entries.model, passing, is_filtered=is_filtered)

    def __call__(self, text, *, limit, facets=(), is_selective=False, bound=None):
        """The Ranking of the entries that contain any of the words."""
        is_filtered = self.is_filtered
        params = ranking.ranking_params(self.kind, text, facets, limit, is_filtered=is_filtered)
        params["is_selective"] = is_selective
        for place, value in enumerate(self.passing.values(bound)):
            params[f"entries_{place}"] = value
        [(keys, ids, count, version, has_unknown)] = fetch_all(self.sql, params)
        if has_unknown:
            params["words"] = " ".join(corrected_words(self.kind, text))
            # Keep the first version, because the corrections belong to it.
            [(keys, ids, count, *_)] = fetch_all(self.sql, params)
        best = list(zip(keys or [], ids or [], strict=True))
        return ranking.Ranking(best, count, version)

    def results(self, text, **options):
        """The best entries and their count, without the catalogue version."""
        best, count, _ = self(text, **options)
        return best, count


def corrected_words(kind, text):
    limits = {"long": LONG, "max_corrections": MAX_CORRECTIONS}
    return known_words(fetch_all(QUERY_WORDS, {"kind": kind, "text": text, **limits}))


@on_replica
def completed(kind, text):
    """The text, with an unknown last word replaced by the most common word that begins with it."""
    *whole, start = text.lower().split()
    [(word,)] = fetch_all(COMPLETION, {"kind": kind, "begun": start})
    return " ".join([*whole, word or start])


@on_replica
def near_slugs(model, text):
    """The slugs of published entries that a mistyped one may have meant, nearest first.

    Empty if the slug is not mistyped: a withdrawn entry has no replacement.
    """
    slug = as_slug(text)
    if not slug or model.objects.exclude(status=Status.PUBLISHED).filter(slug=slug).exists():
        return []
    best, _ = ranking_of_all(model).results(slug.replace("-", " "), limit=COMPARED)
    rows = model.objects.filter(pk__in=[row_id for _, row_id in best]).published().order_by()
    slugs = sorted(rows.values_list("slug", flat=True))
    return get_close_matches(slug, slugs, n=MAX_NEAR)


@cache
def ranking_of_all(model):
    return CompiledRanking(model.objects.published())


@on_replica
def most_common(kind, facets, limit=MAX_VALUES):
    """The most common values of each facet, as `(facet, value, entries)`.

    One statement, so that the values and the version belong to the same state of the catalogue
    (contract 21.3).
    """
    params = {"kind": kind, "facets": list(facets), "limit": limit}
    rows = fetch_all(FACET_VALUES, params)
    [version, *_] = rows[0]
    common = [tuple(values) for _, *values in rows if values[0] is not None]
    return Read(common, version_validator(version), common)


def version_validator(version):
    """The validator for a read at a catalogue version; None for None."""
    return None if version is None else Validator(catalogue_version, version)


def catalogue_version():
    """A number that changes with every write that may change a ranking.

    An install is such a write if its counter reaches a power of ten; a review never is. None in a
    transaction that has written.
    """
    [(number,)] = fetch_all(CATALOGUE_VERSION)
    return number


class EntryList(FilteredList):
    """All published entries of a model, and the best results of a search among them."""

    def __init__(self, model):
        super().__init__(partial(list_rows, model), kept_count)
        self.model = model
        self.by_ids = versioned(lambda ids: among_ids(list_rows(model), ids).order_by("pk"))

    def __call__(self, filterset, address=None):
        """Pass the client's `address` to count searches without results."""
        return Rows(filterset, partial(self.fetch_for, filterset, address))

    def fetch_for(self, filterset, address, cut):
        rows = self.fetch(filterset, cut)
        # If a filter is set, an empty result says nothing about the text.
        if address and filterset.words and not rows.count and not filterset.values:
            count_zero_results(self.model.kind, filterset.words, address)
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
        """The best results, their number, and the validator for both."""

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
        """The `compile_page` of all searches in this order; their results are bound to it."""

        def compile_results():
            rows = bind(lambda ids: among_ids(list_rows(self.model), ids))
            count = bind(lambda results: Cast(results, IntegerField()))
            return compile_page(rows, filterset.sorts[filterset.sort], count, number, place)

        return compiled_once((self, "results", filterset.sort, number, place), compile_results)


def list_rows(model):
    return model.objects.published().with_row_version().for_list()


def kept_count(entries, filterset, counted):
    """The counts of one facet are stored; others are computed."""
    if filterset.counted_facet is None:
        return count_rows(entries)
    return facet_count(entries.model, filterset.counted_facet, counted)


skills, personas = EntryList(Skill), EntryList(Persona)
