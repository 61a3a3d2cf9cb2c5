"""The words of names: what staff search by, beside the postings of published entries."""

import re

from django.contrib.postgres.search import SearchQuery, SearchVector
from django.db import models
from django.db.models import Func, Value
from django.db.models.functions import Concat

MAX_WORDS = 10  # of a search


def words_of(first, *others):
    """The words of columns, for an index and its searches; slugs and handles are taken apart."""
    texts = [first, *(part for column in others for part in (Value(" "), column))]
    text = Concat(*texts) if others else first
    plain = Func(text, function="catalogue_plain", output_field=models.TextField())
    return SearchVector(plain, config="simple")


def words_in(text):
    return re.findall(r"\w+", text.lower())[:MAX_WORDS]


def beginning_with(words):
    """A query for texts that have, for each of these words, one that starts with it."""
    prefixes = " & ".join(f"{word}:*" for word in words)
    return SearchQuery(prefixes, search_type="raw", config="simple")


def with_words(rows, names, text):
    """Rows whose `names`, by `words_of`, have for each word of the text one that starts with it."""
    words = words_in(text)
    return rows.alias(names=names).filter(names=beginning_with(words)) if words else rows.none()
