"""The entries that match a query, best first (docs/discovery.md says how they rank, and why)."""

from django.utils.text import slugify

from catalogue.search.spelling import known_words
from marketplace.db.replicas import read_connection

MAX_RESULTS = 1000  # of a search, the best
MAX_WORDS = 10  # of a query, the rarest
MAX_POSTINGS = 10_000  # that a search reads, all words together
MAX_FILTERED = 5_000  # the same where each entry must also pass a filter
MAX_SCORED = 2000  # entries that a filter leaves, up to which all of them are scored
MAX_POPULAR = 20  # the most relevant, among which popularity counts

# Weighs each word by its rarity among the entries (BM25's inverse document frequency, in
# thousandths), finds the entries with the highest impacts of each word, adds up the scores of
# those for all words, and raises them by their popularity. In whole numbers, whose sum does not
# depend on the order.
RANKED = """
    WITH words AS MATERIALIZED (
        SELECT stem, entries,
            (1000 * ln((total + 1) / (entries - implied + 0.5)))::int AS rarity
        FROM (
            SELECT stem, catalogue_count(%(kind)s, 'word', stem)::float AS entries,
                catalogue_count(%(kind)s, 'implied', stem) AS implied
            FROM unnest(%(words)s::text[]) AS word, catalogue_words(to_tsvector('simple', word))
            GROUP BY stem
        ) AS stems, CAST(catalogue_count(%(kind)s, 'all', '') AS float) AS total
        WHERE entries > 0
        ORDER BY rarity DESC, stem LIMIT %(max_words)s
    ),
    bound AS MATERIALIZED (
        -- How many postings of each word are read, and whether an entry that one word has found
        -- may lack the score of another.
        SELECT size, number > 1 AND EXISTS (SELECT FROM words WHERE entries > size) AS cuts
        FROM (
            SELECT count(*) AS number, %(max_postings)s / greatest(count(*), 1) AS size FROM words
        ) AS share
    ),
    found AS ({found}),
    best AS (
        SELECT entry_id, sum(score)::bigint AS score FROM found
        GROUP BY entry_id HAVING sum(score) IS NOT NULL
        ORDER BY score DESC, entry_id DESC LIMIT %(max_results)s
    ),
    named AS (
        -- An exact name comes first: the slug, then the title.
        SELECT id AS entry_id, CASE WHEN slug = %(slug)s THEN 2 ELSE 1 END * 1000000000 AS bonus
        FROM ({entries}) AS entry
        WHERE slug = %(slug)s OR lower(title) COLLATE "C" = lower(%(text)s)
        ORDER BY bonus DESC, id DESC LIMIT %(max_results)s
    ),
    scored AS MATERIALIZED (
        SELECT entry_id, coalesce(bonus, 0) AS bonus, coalesce(
            CASE WHEN score IS NULL OR (SELECT cuts FROM bound) THEN {score} ELSE score END, 0
        ) AS score
        FROM (SELECT entry_id, score, bonus FROM best FULL JOIN named USING (entry_id)) AS candidate
    ),
    popular AS (
        SELECT id AS entry_id, catalogue_popularity({counter}) AS popularity FROM {table}
        WHERE id = ANY(ARRAY(
            SELECT entry_id FROM scored
            ORDER BY bonus + score DESC, entry_id DESC LIMIT %(max_popular)s
        ))
    )
    -- Each power of ten of its downloads or installs makes an entry a fiftieth more relevant.
    SELECT bonus + score * (50 + coalesce(popularity, 0)) / 50 AS relevance, entry_id
    FROM scored LEFT JOIN popular USING (entry_id)
    ORDER BY relevance DESC, entry_id DESC LIMIT %(max_results)s
"""

# The score of one entry for all words, each read by its key.
SCORE = """(
    SELECT sum(impact * rarity) FROM words, LATERAL (
        SELECT impact FROM {postings} AS posting
        WHERE posting.entry_id = candidate.entry_id AND posting.word = stem LIMIT 1
    ) AS held
)"""

# The entries with the highest impacts of each word.
BY_WORD = """
    SELECT entry_id, impact * rarity AS score
    FROM words, LATERAL (
        SELECT entry_id, impact FROM {postings} WHERE word = stem
        ORDER BY impact DESC, entry_id DESC LIMIT (SELECT size FROM bound)
    ) AS posting
"""

# With filters: where they leave few entries, all of these are scored and none is missed; where
# they leave many, those of the best by word that pass. Only one of the two is run.
BY_WORD_AND_FILTER = """
    WITH breadth AS (
        SELECT coalesce(
            %(is_selective)s OR min(catalogue_count(%(kind)s, facet, value)) <= %(few)s, false
        ) AS is_small
        FROM unnest(%(facets)s::text[], %(values)s::text[]) AS given (facet, value)
    )
    SELECT entry_id, {score} AS score
    FROM (SELECT id AS entry_id FROM ({entries}) AS entry) AS candidate
    WHERE (SELECT is_small FROM breadth)
    UNION ALL
    SELECT entry_id, score FROM ({by_word}) AS candidate, LATERAL (
        SELECT FROM ({entries}) AS entry WHERE id = entry_id LIMIT 1
    ) AS passing
    WHERE NOT (SELECT is_small FROM breadth)
"""


def ranking(entries, text, *, facets, is_filtered, is_selective):
    """The best of the entries that hold any of the words, as `(relevance, id)`, best first.

    The entries are filtered already: by `facets`, whose counts tell how many entries pass, and by
    others, of which one may be known to be selective.
    """
    kind = entries.model.__name__.lower()
    words = known_words(kind, text)
    sql, values = entries.order_by().values("id", "slug", "title").query.sql_with_params()
    parts = {
        "entries": sql % tuple(f"%(entries_{number})s" for number in range(len(values))),
        "table": f"catalogue_{kind}",
        "postings": f"catalogue_{kind}posting",
        "counter": entries.model.POPULARITY,
    }
    parts["score"] = SCORE.format(**parts)
    parts["by_word"] = BY_WORD.format(**parts)
    parts["found"] = BY_WORD_AND_FILTER.format(**parts) if is_filtered else parts["by_word"]
    return read_connection().fetch_all(
        RANKED.format(**parts),
        {
            "kind": kind,
            "text": text,
            "slug": slugify(text),
            "words": words,
            "facets": [facet for facet, _ in facets],
            "values": [value for _, value in facets],
            "is_selective": is_selective,
            "few": MAX_SCORED,
            "max_words": MAX_WORDS,
            "max_postings": MAX_FILTERED if is_filtered else MAX_POSTINGS,
            "max_results": MAX_RESULTS,
            "max_popular": MAX_POPULAR,
            **{f"entries_{number}": value for number, value in enumerate(values)},
        },
    )
