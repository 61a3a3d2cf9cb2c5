"""Corrects and completes words of a query that no entry contains (docs/develop/search.md)."""

from math import inf

MIN_LENGTH = 4  # of a word to correct or complete
# A word that has synonyms is not misspelt.
KNOWN = "(entries > 0 OR search_synonyms(stem) <> '{}')"
# A word with accents is also in the query without them, and is corrected in that spelling.
UNKNOWN = f"""NOT {KNOWN} AND NOT is_stop AND length(word) >= {MIN_LENGTH}
    AND (is_weak OR cardinality(catalogue_spellings(word)) = 1)"""
LONG = 9  # letters, from which two mistakes are allowed
MAX_CORRECTIONS = 3  # words of a query, the longest
MAX_COMPLETIONS = 5
# For the nearest entries of a search that finds nothing, a third of a word may be mistaken.
NEAR, FAR = 100, 3  # letters for each mistake, if that allows more than one or two
MIN_HALF = 3  # letters of one of two words that are written as one

# The words of a query except stop words. For a word that no entry contains, also the known
# spellings that begin with the same letter and have about the same length or continue it, the most
# common first. Spellings of very few entries are left out, because many are mistakes themselves.
# The last column splits the word into the two most common words, if it can be split.
QUERY_WORDS = f"""
    SELECT word, is_known, mistakes, CASE WHEN is_unknown AND row_number() OVER (
        PARTITION BY is_unknown ORDER BY letters DESC, word
    ) <= {MAX_CORRECTIONS} THEN ARRAY(
        SELECT value FROM search_facetcount AS spelling
        WHERE kind = %(kind)s AND facet = 'spelling'
            AND value >= left(word, 1) AND value < left(word, 1) || chr(1114111)
            AND (abs(length(value) - letters) <= mistakes OR starts_with(value, word))
            AND spelling.entries > (SELECT search_count(%(kind)s, 'all', '') / 100000)
        ORDER BY spelling.entries DESC, value
    ) END, CASE WHEN is_unknown THEN (
        SELECT ARRAY[half.value, rest.value]
        FROM generate_series({MIN_HALF}, letters - {MIN_HALF}) AS place, LATERAL (
            SELECT value, entries FROM search_facetcount
            WHERE kind = %(kind)s AND facet = 'spelling' AND value = left(word, place)
                AND entries > 0 LIMIT 1
        ) AS half, LATERAL (
            SELECT value, entries FROM search_facetcount
            WHERE kind = %(kind)s AND facet = 'spelling' AND value = substr(word, place + 1)
                AND entries > 0 LIMIT 1
        ) AS rest
        ORDER BY least(half.entries, rest.entries) DESC LIMIT 1
    ) END
    FROM (
        SELECT word, {KNOWN} AS is_known, {UNKNOWN} AS is_unknown, letters,
            greatest(1 + (letters >= {LONG})::int, letters / %(letters_per_mistake)s) AS mistakes
        FROM (
            SELECT *, length(word) AS letters, search_count(%(kind)s, 'word', stem) AS entries
            FROM search_words(to_tsvector('simple', catalogue_plain(%(text)s)))
            WHERE NOT is_stop OFFSET 0
        ) AS counted
        OFFSET 0  -- Without these, PostgreSQL computes all that again for each spelling.
    ) AS query_words
"""


def known_words(query_words):
    """The words of a query from rows of QUERY_WORDS, misspelt ones corrected, others completed."""
    words = []
    for word, is_known, mistakes, spellings, halves in query_words:
        words += [word] if is_known else corrected(word, spellings or [], halves or [], mistakes)
    return words


def corrected(word, spellings, halves, allowed):
    """The nearest spelling, the first if several are; otherwise the first completions.

    Two words without the space between them are nearer than a word with two mistakes.
    """
    letters = set(word)
    near = [
        (apart, place, spelling)
        for place, spelling in enumerate(spellings)
        # A cheap test first: a mistake adds and removes at most one letter.
        if len(letters.symmetric_difference(spelling)) <= 2 * allowed
        and (apart := distance(word, spelling, allowed)) <= allowed
    ]
    apart, _, nearest = min(near, default=(inf, None, None))
    if halves and apart > 1:
        return halves
    if near:
        return [nearest]
    return [spelling for spelling in spellings if spelling.startswith(word)][:MAX_COMPLETIONS]


# A text in its plain form. If no entry contains its last word, that is replaced by the most common
# one that begins with it.
COMPLETED = """
    WITH plain AS MATERIALIZED (
        SELECT words[:cardinality(words) - 1] AS whole, words[cardinality(words)] AS begun
        FROM regexp_split_to_array(trim(catalogue_plain(%(text)s)), ' +') AS words
    )
    SELECT array_to_string(whole || coalesce(
        CASE WHEN search_count(%(kind)s, 'word', begun) = 0 THEN (
            SELECT value FROM search_facetcount
            WHERE kind = %(kind)s AND facet = 'spelling'
                AND value >= begun AND value < begun || chr(1114111)
                AND starts_with(value, begun) AND entries > 0
            ORDER BY entries DESC, value LIMIT 1
        ) END,
        begun
    ), ' ')
    FROM plain
"""


def distance(one, other, allowed):
    """The Damerau-Levenshtein distance; `inf` if it exceeds `allowed`."""
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
