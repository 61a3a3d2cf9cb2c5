"""Finding entries by words: PostgreSQL's full-text search, title above tags above description."""

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Case, F, FloatField, Q, Value, When
from django.db.models.functions import Cast
from django.utils.text import slugify

# More than any rank that ts_rank_cd gives, so that an exact slug comes first.
EXACT = 1000.0


def matching(entries, words):
    """The entries that match the words (websearch syntax), each with its `relevance`."""
    query = SearchQuery(words, search_type="websearch", config="english")
    slug = slugify(words)
    bonus = Case(When(slug=slug, then=Value(EXACT)), default=Value(0.0), output_field=FloatField())
    rank = Cast(SearchRank(F("search"), query, cover_density=True), FloatField())
    return entries.filter(Q(search=query) | Q(slug=slug)).annotate(relevance=bonus + rank)
