"""Counts the searches that find nothing: what agents look for and the catalogue lacks."""

from django.db import Error, connection
from django.utils.crypto import salted_hmac

from catalogue.frontmatter import one_line
from marketplace.models import max_length
from marketplace.ratelimits.counters import count
from marketplace.secrets import mask
from search.models import ZeroResultSearch

MAX_ROWS = 10_000
MAX_OF_CLIENT = 1000  # searches a day
DAY = 24 * 3600  # seconds
MAX_LENGTH = max_length(ZeroResultSearch, "text")
MAX_DIGITS = 6  # longer numbers may be personal

# One writer at a time, and nobody waits: under a flood of searches, some are not counted. A new
# text replaces the least searched one, and of those the oldest.
COUNT = """
    WITH turn AS MATERIALIZED (
        SELECT pg_try_advisory_xact_lock(
            'search_zeroresultsearch'::regclass::oid::int, 0
        ) AS is_mine
    ),
    dropped AS (
        DELETE FROM search_zeroresultsearch WHERE (SELECT is_mine FROM turn)
            AND NOT EXISTS (
                SELECT FROM search_zeroresultsearch WHERE kind = %(kind)s AND text = %(text)s
            )
            AND id IN (
                SELECT id FROM search_zeroresultsearch
                ORDER BY searches DESC, last_searched_at DESC OFFSET %(others)s
            )
    )
    INSERT INTO search_zeroresultsearch AS known (kind, text, searches, last_searched_at)
    SELECT %(kind)s, %(text)s, 1, now() FROM turn WHERE is_mine
    ON CONFLICT (kind, text) DO UPDATE
    SET searches = known.searches + 1, last_searched_at = excluded.last_searched_at
"""


def count_zero_results(kind, text, address):
    """Count a search that found nothing, once a day per address; it never fails.

    Only searches that really ran count: this does not notice a response from a cache, of this
    server or another. The primary counts, whichever server searched.
    """
    public = public_text(text)
    if not public:
        return
    try:
        if not is_counted(kind, public, address):
            return
        with connection.cursor() as cursor:
            cursor.execute(COUNT, {"kind": kind, "text": public, "others": MAX_ROWS - 1})
    except Error:
        # The server may be read-only, for example after a failover. The search has its results.
        return


def is_counted(kind, text, address):
    """Whether the client has not searched for the text today, nor for very many others.

    Each check is a counter of the rate limits, whose key does not reveal the address. The client's
    own counter comes first, so that a flood of texts leaves no more rows than it allows.
    """
    if count(key_of(address), 1, DAY) > MAX_OF_CLIENT:
        return False
    return count(key_of(address, kind, text), 1, DAY) == 1


def key_of(*parts):
    return salted_hmac(__name__, "\n".join(parts), algorithm="sha256").hexdigest()[:32]


def public_text(text):
    """The text to count, or "" if it may contain a secret or personal data."""
    digits = sum(character.isdigit() for character in text)
    if "@" in text or digits > MAX_DIGITS or mask(text) != text:
        return ""
    return one_line(text).lower()[:MAX_LENGTH].strip()
