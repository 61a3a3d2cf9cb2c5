"""The words of names: what staff search by, beside the postings of published entries."""

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db import models
from django.db.models import Func, Value
from django.db.models.functions import Concat

from infrastructure.db.statements import fetch_all

MAX_WORDS = 10  # of a search
WORDS_IN = "SELECT lexeme FROM unnest(to_tsvector('simple', catalogue_plain(%s))) LIMIT %s"


def words_of(first, *others):
    """The words of columns, for an index and its searches; slugs and handles are taken apart."""
    texts = [first, *(part for column in others for part in (Value(" "), column))]
    text = Concat(*texts) if others else first
    plain = Func(text, function="catalogue_plain", output_field=models.TextField())
    return SearchVector(plain, config="simple")


def words_in(text):
    """The words of a text in the form that the index has."""
    return [word for (word,) in fetch_all(WORDS_IN, [text, MAX_WORDS])]


def beginning_with(words):
    """A query for texts that have, for each of these words, one that starts with it."""
    prefixes = " & ".join(f"'{word}':*" for word in words)
    return SearchQuery(prefixes, search_type="raw", config="simple")


def with_words(rows, names, text):
    """Rows whose `names`, by `words_of`, have for each word of the text one that starts with it."""
    words = words_in(text)
    return rows.alias(names=names).filter(names=beginning_with(words)) if words else rows.none()
