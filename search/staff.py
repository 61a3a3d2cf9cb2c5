"""The search of the staff admin, which includes unpublished entries."""

import re

from django.contrib.postgres.search import SearchQuery
from django.db.models import Func, Q, TextField, Value

from catalogue.models import PUBLISHED, TITLE_AND_SLUG_WORDS, Persona, Skill
from search.models import PersonaPosting, SkillPosting
from search.ranking import MAX_RESULTS, MAX_WORDS

POSTINGS = {Skill: SkillPosting, Persona: PersonaPosting}
STEM = "(ts_lexize('english_stem', %(expressions)s))[1]"


def containing(entries, text):
    """Entries that contain each word of the text, or a word that begins with it.

    Published ones are found by their postings, the first MAX_RESULTS; others by title, slug and
    tags.
    """
    words = re.findall(r"\w+", text.lower())[:MAX_WORDS]
    if not words:
        return entries.none()
    published = entries.model.objects.published().order_by("-pk")
    for word in words:
        begins = Q(word__gte=word, word__lt=word + chr(0x10FFFF))
        stem = Func(Value(word), template=STEM, output_field=TextField())
        postings = POSTINGS[entries.model].objects.filter(begins | Q(word=stem))
        published = published.filter(pk__in=postings.values("entry_id"))
    prefixes = " & ".join(f"{word}:*" for word in words)
    query = SearchQuery(prefixes, search_type="raw", config="simple")
    return entries.alias(names=TITLE_AND_SLUG_WORDS).filter(
        Q(pk__in=list(published.values_list("pk", flat=True)[:MAX_RESULTS]))
        | Q(~PUBLISHED, names=query)
        | Q(~PUBLISHED, tags__contains=[text])
    )
