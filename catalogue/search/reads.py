"""What searches, corrections and facets read (docs/discovery.md)."""

from difflib import get_close_matches

from catalogue.frontmatter import as_slug
from catalogue.search import ranking
from catalogue.search.facet_counts import CATALOGUE_VERSION, FACET_VALUES, MAX_VALUES
from catalogue.search.spelling import (
    COMPLETION,
    LONG,
    MAX_CORRECTIONS,
    QUERY_WORDS,
    known_words,
)
from marketplace.db.compiled_queries import CompiledQuery
from marketplace.db.replicas import on_replica
from marketplace.db.statements import fetch_all
from marketplace.http_cache.validators import Read, Validator

COMPARED = 50  # of the best results of a search for a slug's words
MAX_NEAR = 3


class CompiledRanking:
    """Ranks the entries of a queryset by a text; compiled once, as a CompiledQuery is."""

    def __init__(self, entries, *, is_filtered=False):
        self.passing = CompiledQuery(lambda: entries.order_by().values_list("id", "slug", "title"))
        places = range(len(self.passing.compiled.placeholders))
        passing = self.passing.compiled.sql % tuple(f"%(entries_{place})s" for place in places)
        self.kind, self.is_filtered = entries.model.__name__.lower(), is_filtered
        self.sql = ranking.ranking_sql(entries.model, passing, is_filtered=is_filtered)

    def __call__(self, text, *, limit, facets=(), is_selective=False, bound=None):
        """The Ranking of the entries that hold any of the words."""
        is_filtered = self.is_filtered
        params = ranking.ranking_params(self.kind, text, facets, limit, is_filtered=is_filtered)
        params["is_selective"] = is_selective
        for place, value in enumerate(self.passing.values(bound)):
            params[f"entries_{place}"] = value
        [(keys, ids, count, version, has_unknown)] = fetch_all(self.sql, params)
        if has_unknown:
            params["words"] = " ".join(corrected_words(self.kind, text))
            # With the version from before, of which the corrections are.
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
    """The text with a last word that no entry holds as the most common one that begins so."""
    *whole, begun = text.lower().split()
    [(word,)] = fetch_all(COMPLETION, {"kind": kind, "begun": begun})
    return " ".join([*whole, word or begun])


@on_replica
def near_slugs(model, text):
    """The slugs of published entries that a mistaken one may have meant, the nearest first.

    None for one that was no mistake: what is withdrawn has no replacement.
    """
    slug, entries = as_slug(text), model.objects.published()
    if not slug or model.objects.unpublished().filter(slug=slug).exists():
        return []
    best, _ = CompiledRanking(entries).results(slug.replace("-", " "), limit=COMPARED)
    rows = entries.filter(pk__in=[row_id for _, row_id in best]).order_by()
    slugs = sorted(rows.values_list("slug", flat=True))
    return get_close_matches(slug, slugs, n=MAX_NEAR)


@on_replica
def most_common(kind, facets, limit=MAX_VALUES):
    """The most common values of each facet, as `(facet, value, entries)`.

    In one statement, which cannot see another state of the catalogue than its version (contract
    21.3).
    """
    params = {"kind": kind, "facets": list(facets), "limit": limit}
    rows = fetch_all(FACET_VALUES, params)
    [version, *_] = rows[0]
    common = [tuple(values) for _, *values in rows if values[0] is not None]
    return Read(common, version_validator(version), common)


def version_validator(version):
    """The validator of what was read at a catalogue version; None where it is None."""
    return None if version is None else Validator(catalogue_version, version)


def catalogue_version():
    """A number that changes with every write that may change a ranking.

    An install is one where its counter reaches a power of ten; a review never is. None in a
    transaction that has written.
    """
    [(number,)] = fetch_all(CATALOGUE_VERSION)
    return number
