"""The search of the staff admin, which includes unpublished entries."""

from django.db.models import Func, Q, TextField, Value

from catalogue.models import (
    PUBLISHED,
    TITLE_AND_SLUG_WORDS,
    Persona,
    Skill,
    beginning_with,
    labeled,
    words_in,
)
from search.models import PersonaPosting, SkillPosting
from search.ranking import MAX_RESULTS
from search.reads import most_common

POSTINGS = {Skill: SkillPosting, Persona: PersonaPosting}
STEM = "(ts_lexize('english_stem', %(expressions)s))[1]"


def containing(entries, text):
    """Entries that contain each word of the text, or a word that begins with it.

    Published ones are found by their postings, the first MAX_RESULTS; others by title, slug and
    tags.
    """
    words = words_in(text)
    if not words:
        return entries.none()
    published = entries.model.objects.published().order_by("-pk")
    for word in words:
        begins = Q(word__gte=word, word__lt=word + chr(0x10FFFF))
        stem = Func(Value(word), template=STEM, output_field=TextField())
        postings = POSTINGS[entries.model].objects.filter(begins | Q(word=stem))
        published = published.filter(pk__in=postings.values("entry_id"))
    return entries.alias(names=TITLE_AND_SLUG_WORDS).filter(
        Q(pk__in=list(published.values_list("pk", flat=True)[:MAX_RESULTS]))
        | Q(~PUBLISHED, names=beginning_with(words))
        | ~PUBLISHED & labeled("tags", [text])
    )


def values_in_use(model, *facets, limit):
    """`{facet: [(value, number of published entries)]}`, the most common value first."""
    values = {facet: [] for facet in facets}
    for facet, value, entries in most_common(model.kind, facets, limit).value:
        values[facet].append((value, entries))
    return values
