"""Finding entries by words (docs/discovery.md says how, and why an entry ranks where it does)."""

import re
from math import inf

from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.db.models import Func, Q, TextField, Value
from django.utils.text import slugify

from catalogue.models import NAMES, PUBLISHED

STEM = "(ts_lexize('english_stem', %(expressions)s))[1]"
MAX_RESULTS = 1000  # a search has no more results than these, the best
MAX_WORDS = 10  # the rarest count
MAX_POSTINGS = 10_000  # looked at in one search, all words together
MAX_FILTERED = 5_000  # the same where each of the entries must also pass a filter
SHORTEST = 4  # letters that a word must have to be corrected or completed
LONG = 9  # letters from which on two mistakes are forgiven
MAX_CORRECTIONS = 3  # words of a query, the longest
MAX_COMPLETIONS = 5
BUNDLES = {"bundledIn", "skill"}  # filters that leave few entries
FEW = 2000  # entries that a filter leaves, up to which each of them is looked at

# Another number after each edit of what a search looks at, from the moment when the edit is seen
# (migration 0004). Within a transaction it would move once, however often that edits.
CATALOGUE_VERSION = """
    SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL
        THEN catalogue_count('entry', 'version', '') END
"""

# The words that are asked for, and for a word that no entry holds, the known ones that begin with
# the same letter and are about as long or continue it. Spellings that hardly anyone uses are no
# help: they are other people's mistakes.
ASKED = """
    SELECT word, is_stop, known, CASE WHEN is_odd AND row_number() OVER (
        PARTITION BY is_odd ORDER BY length(word) DESC, word
    ) <= %(max_corrections)s THEN ARRAY(
        SELECT ARRAY[value, entries::text] FROM catalogue_facetcount
        WHERE kind = %(kind)s AND facet = 'spelling'
            AND value >= left(word, 1) AND value < left(word, 1) || chr(1114111)
            AND (abs(length(value) - length(word)) <= 1 + (length(word) >= %(long)s)::int
                OR starts_with(value, word))
            AND entries > (SELECT catalogue_count(%(kind)s, 'all', '') / 100000)
    ) END
    FROM (
        SELECT word, is_stop, known,
            NOT known AND NOT is_stop AND length(word) >= %(shortest)s AS is_odd
        FROM catalogue_words(to_tsvector('simple', catalogue_plain(%(text)s))),
            LATERAL (SELECT catalogue_count(%(kind)s, 'word', stem) > 0 AS known) AS lookup
    ) AS asked
"""

# Weighs each word by how rare it is among the entries (BM25's inverse document frequency, in
# thousandths), finds the entries that are most about one of them, and adds up for each of those
# what it has of all of them. In whole numbers, whose sum is the same in whatever order.
RANKED = """
    WITH words AS MATERIALIZED (
        SELECT stem, entries,
            (1000 * ln(1 + (total - entries + 0.5) / (entries + 0.5)))::int AS rarity
        FROM (
            SELECT stem, catalogue_count(%(kind)s, 'word', stem)::float AS entries
            FROM unnest(%(words)s::text[]) AS word, catalogue_words(to_tsvector('simple', word))
            GROUP BY stem
        ) AS stems, CAST(catalogue_count(%(kind)s, 'all', '') AS float) AS total
        WHERE entries > 0
        ORDER BY rarity DESC, stem LIMIT %(most_words)s
    ),
    bound AS MATERIALIZED (
        -- How many entries are looked at for each word, and whether that leaves any out.
        SELECT most, EXISTS (SELECT FROM words WHERE entries > most) AS cuts
        FROM (SELECT %(most_postings)s / greatest(count(*), 1) AS most FROM words) AS divided
    ),
    found AS ({found}),
    best AS (
        SELECT entry_id, sum(score) AS score FROM found
        GROUP BY entry_id HAVING sum(score) IS NOT NULL
        ORDER BY score DESC, entry_id DESC LIMIT %(most_results)s
    ),
    named AS (
        -- What is called exactly as asked comes first: its slug, then its title.
        SELECT id AS entry_id, CASE WHEN slug = %(slug)s THEN 2 ELSE 1 END * 1000000000 AS bonus
        FROM ({entries}) AS entry
        WHERE slug = %(slug)s OR lower(title) COLLATE "C" = lower(%(text)s)
        ORDER BY bonus DESC, id DESC LIMIT %(most_results)s
    )
    SELECT coalesce(bonus, 0) + coalesce(
        CASE WHEN score IS NULL OR (SELECT cuts FROM bound) THEN {score} ELSE score END, 0
    ) AS relevance, entry_id
    FROM (SELECT entry_id, score, bonus FROM best FULL JOIN named USING (entry_id)) AS candidate
    ORDER BY relevance DESC, entry_id DESC LIMIT %(most_results)s
"""

# What an entry has of all the words, answered by the key, word by word.
SCORE = """(
    SELECT sum(impact * rarity) FROM words, LATERAL (
        SELECT impact FROM {postings} AS posting
        WHERE posting.entry_id = candidate.entry_id AND posting.word = stem LIMIT 1
    ) AS held
)"""

# Word by word, the entries that are most about it.
BY_WORD = """
    SELECT entry_id, impact * rarity AS score
    FROM words, LATERAL (
        SELECT entry_id, impact FROM {postings} WHERE word = stem
        ORDER BY impact DESC, entry_id DESC LIMIT (SELECT most FROM bound)
    ) AS posting
"""

# With filters: where they leave few entries, each of these is looked at, so that none is missed;
# where they leave many, those of the best by word that pass. Of the two only one is run.
BY_WORD_AND_FILTER = """
    WITH breadth AS (
        SELECT coalesce(
            %(uncounted)s OR min(catalogue_count(%(kind)s, facet, value)) <= %(few)s, false
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


def catalogue_version():
    """What rankings rest on, whatever words and filters but a lowest rating they are of.

    None inside a transaction that writes.
    """
    [(number,)] = connection.fetch_all(CATALOGUE_VERSION)
    return number


def ranking(entries, text, *, facets, uncounted):
    """The best of the entries that hold any of the words, as `(relevance, id)`, best first.

    `facets` and `uncounted` are the filters that the entries have passed (ListQuery).
    """
    kind = entries.model.__name__.lower()
    words = known_words(kind, text)
    sql, values = entries.order_by().values("id", "slug", "title").query.sql_with_params()
    parts = {
        "entries": sql % tuple(f"%(entries_{number})s" for number in range(len(values))),
        "postings": f"catalogue_{kind}posting",
    }
    parts["score"] = SCORE.format(**parts)
    parts["by_word"] = BY_WORD.format(**parts)
    is_filtered = facets or uncounted
    parts["found"] = BY_WORD_AND_FILTER.format(**parts) if is_filtered else parts["by_word"]
    return connection.fetch_all(
        RANKED.format(**parts),
        {
            "kind": kind,
            "text": text,
            "slug": slugify(text),
            "words": words,
            "facets": [facet for facet, _ in facets],
            "values": [value for _, value in facets],
            # Without facets: a bundle leaves few, a lowest rating or a price many.
            "uncounted": bool(uncounted & BUNDLES),
            "few": FEW,
            "most_words": MAX_WORDS,
            "most_postings": MAX_FILTERED if is_filtered else MAX_POSTINGS,
            "most_results": MAX_RESULTS,
            **{f"entries_{number}": value for number, value in enumerate(values)},
        },
    )


def holding(entries, text):
    """Entries, published or not, that hold each word of the text or one that begins so: for staff.

    Published ones by the index of words, the first MAX_RESULTS; of the others the titles, slugs
    and tags are looked at.
    """
    words = re.findall(r"\w+", text.lower())[:MAX_WORDS]
    if not words:
        return entries.none()
    published = entries.model.objects.published().order_by("-pk")
    for word in words:
        begins = Q(word__gte=word, word__lt=word + chr(0x10FFFF))
        stem = Func(Value(word), template=STEM, output_field=TextField())
        held = entries.model.POSTINGS.objects.filter(begins | Q(word=stem))
        published = published.filter(pk__in=held.values("entry_id"))
    beginnings = " & ".join(f"{word}:*" for word in words)
    query = SearchQuery(beginnings, search_type="raw", config="simple")
    return entries.alias(names=NAMES).filter(
        Q(pk__in=list(published.values_list("pk", flat=True)[:MAX_RESULTS]))
        | Q(~PUBLISHED, names=query)
        | Q(~PUBLISHED, tags__contains=[text])
    )


def known_words(kind, text):
    """The words to search for: those asked, misspelt ones corrected, unfinished ones completed."""
    limits = {"shortest": SHORTEST, "long": LONG, "max_corrections": MAX_CORRECTIONS}
    asked = connection.fetch_all(ASKED, {"kind": kind, "text": text, **limits})
    # A stop word counts only where nothing else is asked for: the who.
    telling = [row for row in asked if not row[1]] or asked
    words = []
    for word, _, known, spellings in telling:
        words += [word] if known else corrected(word, spellings or [])
    return words


def corrected(word, spellings):
    """The nearest spelling, the most common first; else the most common that continue the word."""
    allowed = 2 if len(word) >= LONG else 1
    ranked = sorted((-int(entries), spelling) for spelling, entries in spellings)
    letters = set(word)
    near = [
        (apart, common, spelling)
        for common, spelling in ranked
        # A mistake adds and removes one letter at most, and telling that is quick.
        if len(letters ^ set(spelling)) <= 2 * allowed
        and (apart := distance(word, spelling, allowed)) <= allowed
    ]
    if near:
        return [min(near)[2]]
    return [spelling for _, spelling in ranked if spelling.startswith(word)][:MAX_COMPLETIONS]


def distance(one, other, allowed):
    """How many letters to change, add, drop or swap with the next; more than `allowed` is inf."""
    if abs(len(one) - len(other)) > allowed:
        return inf
    before, above = [], list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        here = [row]
        for column, facing in enumerate(other, 1):
            cost = min(above[column] + 1, here[-1] + 1, above[column - 1] + (letter != facing))
            if before and column > 1 and letter == other[column - 2] and one[row - 2] == facing:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        if min(here) > allowed:
            return inf
        before, above = above, here
    return above[-1]
