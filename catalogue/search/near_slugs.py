from difflib import get_close_matches

from catalogue.frontmatter import as_slug
from catalogue.search.ranking import CompiledRanking

COMPARED = 50  # of the best results of a search for the slug's words
MAX_NEAR = 3


def near_slugs(model, text):
    """The slugs of published entries that a mistaken one may have meant, the nearest first.

    None for one that was no mistake: what is withdrawn has no replacement.
    """
    slug, entries = as_slug(text), model.objects.published()
    if not slug or model.objects.unpublished().filter(slug=slug).exists():
        return []
    words = slug.replace("-", " ")
    ranking = CompiledRanking(entries)(words, wanted=COMPARED)
    best = [row_id for _, row_id in ranking.best]
    slugs = entries.filter(pk__in=best).order_by().values_list("slug", flat=True)
    return get_close_matches(slug, sorted(slugs), n=MAX_NEAR)
