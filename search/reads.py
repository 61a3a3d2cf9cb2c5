"""Public reads of the lists, searches and facets (docs/develop/search.md)."""

from difflib import get_close_matches
from functools import cache, partial

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, BooleanField, F, Func, IntegerField
from django.db.models.functions import Cast

from catalogue.models import Persona, Skill, Status
from catalogue.slugs import as_slug
from infrastructure.db.compiled_queries import bind, compiled, compiled_once, versioned
from infrastructure.db.statements import fetch_all
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import is_primary_known_down, on_replica
from marketplace.api.list_queries import ListQuery
from marketplace.api.lists import KeysetList, KeysetPage
from search import ranking
from search.facet_counts import CATALOGUE_VERSION, FACET_VALUES, MAX_VALUES, facet_count
from search.ranking import MAX_RESULTS
from search.spelling import COMPLETED, FAR, NEAR, QUERY_WORDS, known_words
from search.zero_results import count_zero_results

MAX_PAGE = ListQuery.max_limit
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
            params["is_corrected"] = True
            # Keep the first version, because the corrections belong to it.
            [(keys, ids, count, *_)] = fetch_all(self.sql, params)
        best = list(zip(keys or [], ids or [], strict=True))
        return ranking.Ranking(best, count, version)

    def results(self, text, **options):
        """The best entries and their count, without the catalogue version."""
        best, count, _ = self(text, **options)
        return best, count


def corrected_words(kind, text, letters_per_mistake=NEAR):
    params = {"kind": kind, "text": text, "letters_per_mistake": letters_per_mistake}
    return known_words(fetch_all(QUERY_WORDS, params))


@on_replica
def completed(kind, text):
    """The words of a text; an unknown last one becomes the most common that begins with it."""
    [(words,)] = fetch_all(COMPLETED, {"kind": kind, "text": text})
    return words


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


def nearest(model, text):
    """Published entries `{"kind", "slug", "title"}` for a search that finds nothing.

    Those of the other kind if it finds them, or else those of both kinds that it finds with more
    mistakes in each word.
    """
    models = sorted([Skill, Persona], key=lambda other: other is not model)
    for letters_per_mistake in (NEAR, FAR):
        entries = [
            {"kind": other.kind, "slug": row.slug, "title": row.title}
            for other in models
            for row in best_of(other, corrected_words(other.kind, text, letters_per_mistake))
        ]
        if entries:
            return entries
    return []


def best_of(model, words):
    """The few best entries for words of the catalogue."""
    best, _ = ranking_of_all(model).results(" ".join(words), limit=MAX_NEAR) if words else ([], 0)
    rows = model.objects.published().only("slug", "title").in_bulk([row_id for _, row_id in best])
    return [rows[row_id] for _, row_id in best if row_id in rows]


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


class EntryList(KeysetList):
    """All published entries of a model, and the best results of a search among them."""

    def __init__(self, model):
        self.model, self.search_results = model, SearchResultList(model)
        self.by_ids = versioned(lambda ids: among_ids(model, ids).order_by("pk"))

    def get_queryset(self):
        return entries_of(self.model)

    def get_count(self, queryset, query, counted):
        """The counts of one facet are stored; others are computed."""
        if query.counted_facet is None:
            return super().get_count(queryset, query)
        return facet_count(self.model, query.counted_facet, counted)

    def page(self, query):
        return self.search(query) if query.words else self.listed(query)

    def page_for_client(self, query, address):
        """The page; a search without results is counted (zero_results.py)."""
        page = self.page(query)
        # If a filter is set, an empty result says nothing about the text.
        is_counted = query.words and not page.count and not query.values
        if is_counted and not is_primary_known_down():
            count_zero_results(self.model.kind, query.words, address)
        return page

    @on_replica
    def listed(self, query):
        return self.fetch_page(query)

    @on_replica
    def search(self, query):
        ranking, count, validator = self.rank(query)
        if not ranking:
            # The nearest entries depend on the catalogue version, which not every validator checks.
            validator = validator if query.is_versioned else None
            return EmptyPage(query, nearest(self.model, query.words), validator)
        if query.sort == "relevance":
            return self.ranked_page(query, ranking, count, validator)
        ids = as_array(row_id for _, row_id in ranking)
        return self.search_results.fetch_page(query, [validator], ids=ids, results=count)

    def rank(self, query):
        """The best results `[(key, id), …]`, highest key first; their number; and a validator."""

        def compile_ranking():
            entries = self.filter_queryset(bind(self.get_queryset), query)
            ranking = CompiledRanking(entries, is_filtered=bool(query.values))
            return ranking, ranking.results

        rank, rank_again = compiled_once((self, *query.shape, "ranking"), compile_ranking)
        # The first page by relevance is cut from the best of a ranking, all others from the whole.
        is_cut = query.position is None and query.sort == "relevance"
        options = {
            "text": query.words,
            "limit": MAX_PAGE + 1 if is_cut else MAX_RESULTS,
            "facets": query.facets,
            "is_selective": query.is_selective,
            "bound": query.values,
        }
        best, count, version = rank(**options)
        if query.is_versioned:
            return best, count, version_validator(version)
        return best, count, Validator(partial(rank_again, **options), (best, count))

    def ranked_page(self, query, ranking, count, validator):
        """A page in the order of a ranking, which the validator covers."""
        keys = {row_id: key for key, row_id in beyond(query, ranking)[: query.limit + 1]}
        select, check = self.by_ids.select, self.by_ids.versions
        read = Read.fetch(select, check, {"ids": as_array(keys)}, [validator])
        rows, validator, versions = read
        by_id = {row.pk: (row, version) for row, version in zip(rows, versions, strict=True)}
        # An entry that was withdrawn after the ranking is missing. The versions include the keys,
        # because the cursors of the page do.
        present = [(*by_id[row_id], key) for row_id, key in keys.items() if row_id in by_id]
        rows, versions = [row for row, *_ in present], [(key, *of) for _, of, key in present]
        return KeysetPage(query, Read(rows, validator, versions), count, lambda row: keys[row.pk])


class EmptyPage(KeysetPage):
    """The page of a search that finds nothing, with the `nearest` entries (contract 8.24)."""

    def __init__(self, query, entries, validator):
        super().__init__(query, Read([], validator, entries), 0)
        self.nearest = entries

    def get_paginated_response(self, data, request):
        response = super().get_paginated_response(data, request)
        response.data["nearest"] = self.nearest
        return response


class SearchResultList(KeysetList):
    """The results of a search in another order than by relevance."""

    def __init__(self, model):
        self.model = model

    def get_queryset(self, ids):
        return among_ids(self.model, ids)

    def get_count(self, _queryset, _query, results):
        return Cast(results, IntegerField())

    # The ranking has applied the filters, so all searches share a query.
    def filter_queryset(self, queryset, _query):
        return queryset

    def get_shape(self, _query):
        return ()


def entries_of(model):
    return model.objects.published().with_row_version().for_list()


def among_ids(model, ids):
    """The entries with these ids, a text in the format of `as_array`."""
    is_among = Func(
        *(F("pk"), Cast(ids, ArrayField(BigIntegerField()))),
        arg_joiner=" = ANY(",
        template="(%(expressions)s))",
        output_field=BooleanField(),
    )
    return entries_of(model).filter(is_among)


def as_array(ids):
    """Ids as one text, because psycopg takes longer to write a list."""
    return f"{{{','.join(map(str, ids))}}}"


def beyond(query, ranking):
    """The rest of a ranking from the position of a query, whose row may have another key by now."""
    ranking = ranking[:: -1 if query.reverse else 1]
    if query.position is None:
        return ranking
    key, row_id = query.position
    ids = [row_id for _, row_id in ranking]
    if row_id in ids:
        return ranking[ids.index(row_id) + 1 :]
    here = (int(key), row_id)
    return [row for row in ranking if (row > here if query.reverse else row < here)]


skills, personas = EntryList(Skill), EntryList(Persona)
