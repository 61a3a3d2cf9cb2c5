"""The entries that match a query, best first (docs/develop/search.md says how they rank)."""

import re
from typing import NamedTuple

from catalogue.slugs import slug_of
from search.facet_counts import COUNTS, UNLESS_WRITTEN
from search.spelling import UNKNOWN

MAX_RESULTS = 1000  # of a search, the best
MAX_WORDS = 10  # of a query, the rarest
MAX_POSTINGS = 10_000  # that a search reads for all words together
MAX_NAME = 5  # words of a query in which two may be one
MAX_EXTRA = 300  # for each word that is not the query's own, in addition
MAX_FILTERED = 5_000  # the same if each entry must also pass a filter
MAX_SCORED = 2000  # if a filter leaves at most so many entries, all of them are scored
MAX_POPULAR = 20  # of the most relevant, which popularity can reorder
# Chinese, Japanese and Korean, whose words catalogue_plain takes apart
SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# How much these count beside the words of the query themselves, at 1.
WEAK, SYNONYM, JOINED = 0.5, 0.35, 0.25  # without accents, of the same sense, two as one
NAMED = 10**9  # the score of an exact name, higher than that of any words
EXTRA = 16  # more than MAX_WORDS, so that one sum holds two: each costs a search 3 % of its time
# search_popularity, without the call for each entry
POPULARITY = "least(length({counter}::text) - 1, 5)"

# Weighs each word by its rarity among the entries (BM25's inverse document frequency, in
# thousandths), finds the entries with the highest impacts of each word, adds up their scores for
# all words, and raises them by their popularity. It uses whole numbers, whose sum does not depend
# on the order.
RANKED = """
    WITH totals AS MATERIALIZED (
        SELECT coalesce(sum(entries) FILTER (WHERE facet = 'all'), 0)::float AS total,
            coalesce(sum(entries) FILTER (WHERE facet = 'version'), 0)::bigint AS version
        FROM {counts}
        WHERE kind IN (%(kind)s, 'entry') AND facet IN ('all', 'version') AND value = ''
    ),
    lexemes AS MATERIALIZED (
        SELECT word, sense AS stem, is_stop, is_weak, CASE WHEN sense <> stem THEN {synonym}
                WHEN labels = '{{B}}' THEN {joined} WHEN is_weak THEN {weak} ELSE 1 END AS weight,
            entries, implied
        FROM (
            SELECT *, unnest(stem || search_synonyms(stem)) AS sense FROM search_words(
                setweight(to_tsvector('simple', catalogue_plain(%(words)s)), 'A')
                -- Two words may be one in the catalogue: change log, changelog.
                || CASE %(name)s WHEN '' THEN '' ELSE setweight(
                    to_tsvector('simple', search_joined(catalogue_plain(%(name)s))), 'B'
                ) END
            )
        ) AS senses, LATERAL (
            SELECT coalesce(sum(entries) FILTER (WHERE facet = 'word'), 0)::bigint AS entries,
                coalesce(sum(entries) FILTER (WHERE facet = 'implied'), 0)::bigint AS implied
            FROM {counts}
            WHERE kind = %(kind)s AND facet IN ('word', 'implied') AND value = sense
        ) AS counted
    ),
    query AS MATERIALIZED (
        -- Without words of its own, the query has two that are one: web hook, webhook.
        SELECT coalesce(bool_and(is_stop), false) AS is_stop, bool_or({unknown}) AS has_unknown
        FROM lexemes WHERE weight >= {weak}
    ),
    words AS MATERIALIZED (
        SELECT stem, entries, weight >= {weak} AS is_own, greatest(1, (weight * 1000 * ln(
            (total + 1) / (entries - implied + 0.5)
        ))::int) AS rarity
        FROM (
            -- Stop words count only in a query that has no others: the who.
            SELECT stem, entries, implied, max(weight) AS weight
            FROM lexemes WHERE entries > 0 AND is_stop = (
                -- A query with an unknown word is corrected before it is ranked.
                SELECT is_stop FROM query WHERE %(is_corrected)s OR NOT has_unknown
            )
            GROUP BY stem, entries, implied
        ) AS stems, totals
        ORDER BY is_own DESC, rarity DESC, stem LIMIT %(max_words)s
    ),
    bound AS MATERIALIZED (
        -- How many postings of each word are read, how many of the query's own words are cut by
        -- that, and how many entries are scored: more than are wanted if they may lack the score
        -- of a word.
        SELECT size, cut, CASE WHEN cut > 0 THEN %(max_results)s ELSE %(limit)s END AS scored
        FROM (
            -- The postings of one word alone are in the order of the ranking.
            SELECT count(*) AS number,
                least(%(max_postings)s / greatest(count(*), 1),
                    CASE count(*) WHEN 1 THEN %(max_alone)s END) AS size
            FROM words WHERE is_own
        ) AS share, LATERAL (
            SELECT count(*)::int AS cut FROM words WHERE is_own AND entries > size AND number > 1
        ) AS longer
    ),
    named AS MATERIALIZED (
        -- An exact name comes first: the slug, then the title.
        SELECT id AS entry_id, 2 * {named} AS score FROM ({entries}) AS entry WHERE slug = %(slug)s
        UNION ALL (
            SELECT id, {named} FROM ({entries}) AS entry
            WHERE lower(title) COLLATE "C" = lower(normalize(%(text)s))
            ORDER BY id * -1 LIMIT %(max_results)s  -- as in the index
        )
    ),
    matches AS MATERIALIZED (
        SELECT entry_id, sum(score)::bigint AS score, sum(rest)::bigint AS rest
        FROM ({candidates} UNION ALL SELECT entry_id, score, 0 FROM named) AS posting
        GROUP BY entry_id HAVING sum(score) IS NOT NULL
    ),
    best AS (
        -- The score is complete where the entry matched each word that is cut.
        SELECT entry_id, CASE WHEN rest %% {extra} >= (SELECT cut FROM bound) THEN score
            ELSE score / {named} * {named} + rest / {extra} + coalesce({own_score}, 0)
            END AS score
        FROM (
            SELECT entry_id, score, rest FROM matches
            ORDER BY score DESC, entry_id DESC LIMIT (SELECT scored FROM bound)
        ) AS candidate
    ),
    ranked AS (
        -- Each power of ten of its downloads or installs makes an entry a fiftieth more relevant.
        SELECT entry_id, CASE WHEN place > %(max_popular)s THEN score
            ELSE score + score %% {named} * (
                SELECT {popularity} FROM {table} WHERE id = entry_id
            ) / 50 END AS relevance
        FROM (
            SELECT entry_id, score, row_number() OVER (ORDER BY score DESC, entry_id DESC) AS place
            FROM best
        ) AS placed
        ORDER BY relevance DESC, entry_id DESC LIMIT %(limit)s
    )
    SELECT array_agg(relevance), array_agg(entry_id),
        (SELECT least(count(*), %(max_results)s) FROM matches), (SELECT {version} FROM totals),
        (SELECT has_unknown FROM query)
    FROM ranked
"""

# The score of one entry for all words, each read by its key; and that for the query's own.
SCORE = """(
    SELECT sum(impact * rarity) FROM words, LATERAL (
        SELECT impact FROM {postings} AS posting
        WHERE posting.entry_id = candidate.entry_id AND posting.word = stem LIMIT 1
    ) AS held
)"""
OWN_SCORE = SCORE.replace("FROM words", "FROM (SELECT * FROM words WHERE is_own) AS words")

# The entries with the highest impacts of each word. Two sums are in `rest`: how many cut words an
# entry matches and, EXTRA times, its score for words that are not the query's own (synonyms, two
# words as one), which is never read again.
BY_WORD = """
    SELECT entry_id, impact * rarity AS score, CASE WHEN is_own
        THEN (entries > (SELECT size FROM bound))::int ELSE impact * rarity * {extra} END AS rest
    FROM words, LATERAL (
        SELECT entry_id, impact FROM {postings} WHERE word = stem
        ORDER BY impact DESC, entry_id DESC
        LIMIT (SELECT CASE WHEN is_own THEN size ELSE least(size, {max_extra}) END FROM bound)
    ) AS posting
"""

# With filters: if they leave few entries, and no more than contain a word, all of these are scored
# and none is missed. Otherwise the best entries of each word that pass are scored. Only one of the
# two runs.
BY_WORD_AND_FILTER = """
    (
        WITH breadth AS (
            SELECT coalesce(
                %(is_selective)s OR min(search_label_count(%(kind)s, facet, value)) <= least(
                    %(few)s, (SELECT sum(entries) FROM words WHERE (SELECT cut FROM bound) = 0)
                ), false
            ) AS is_small
            FROM unnest(%(facets)s::text[], %(values)s::text[]) AS given (facet, value)
        )
        SELECT entry_id, {score} AS score, (SELECT cut FROM bound) AS rest
        FROM (SELECT id AS entry_id FROM ({entries}) AS entry) AS candidate
        WHERE (SELECT is_small FROM breadth)
        UNION ALL
        SELECT entry_id, score, rest FROM ({by_word}) AS candidate, LATERAL (
            SELECT FROM ({entries}) AS entry WHERE id = entry_id LIMIT 1
        ) AS passing
        WHERE NOT (SELECT is_small FROM breadth)
    )
"""


class Ranking(NamedTuple):
    """The best entries as `(relevance, id)`, best first; their total, and the catalogue version."""

    best: list
    count: int
    version: int | None


def ranking_sql(model, entries, *, is_filtered):
    """The statement that ranks the ids, slugs and titles that the SQL `entries` selects."""
    kind = model.kind
    parts = {
        "entries": entries,
        "table": f"catalogue_{kind}",
        "postings": f"search_{kind}posting",
        "popularity": POPULARITY.format(counter=model.POPULARITY),
        "version": UNLESS_WRITTEN.format(version="version"),
        "counts": COUNTS,
        "unknown": UNKNOWN,
        "named": NAMED,
        "extra": EXTRA,
        "max_extra": MAX_EXTRA,
        "weak": WEAK,
        "joined": JOINED,
        "synonym": SYNONYM,
    }
    parts["score"] = SCORE.format(**parts)
    parts["own_score"] = OWN_SCORE.format(**parts)
    parts["by_word"] = BY_WORD.format(**parts)
    parts["candidates"] = BY_WORD_AND_FILTER.format(**parts) if is_filtered else parts["by_word"]
    return RANKED.format(**parts)


def may_be_joined(text):
    """Whether two words of the text may be one in the catalogue."""
    return len(text.split()) <= MAX_NAME and not text.isalnum() and not SPACELESS.search(text)


def ranking_params(kind, text, facets, limit, *, is_filtered):
    """The parameters of the statement, except those of the entries and `is_selective`.

    The entries are already filtered: by `facets`, whose counts say how many entries pass, and by
    other filters, one of which may be known to be selective.
    """
    return {
        "kind": kind,
        "text": text,
        "slug": slug_of(text),
        "words": text,
        "is_corrected": False,
        "name": text if may_be_joined(text) else "",
        "facets": [facet for facet, _ in facets],
        "values": [value for _, value in facets],
        "few": MAX_SCORED,
        "max_words": MAX_WORDS,
        "max_postings": MAX_FILTERED if is_filtered else MAX_POSTINGS,
        "max_alone": MAX_FILTERED if is_filtered else MAX_RESULTS,
        "max_results": MAX_RESULTS,
        "limit": min(limit, MAX_RESULTS),
        "max_popular": MAX_POPULAR,
    }
