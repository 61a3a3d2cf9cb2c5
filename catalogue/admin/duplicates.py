"""Near-duplicates: entries whose titles and descriptions share most of their words."""

import re
from collections import Counter, defaultdict
from itertools import combinations, pairwise
from typing import NamedTuple

from catalogue.models import Status
from marketplace.adminsite.pages import Page

NEWEST = 2_000  # entries that are compared
MIN_SHARE = 0.6  # of the words of two entries that are in both
COMMON = 10  # texts: a word in more of them says nothing
MAX_WORDS = 60  # of a text; the rest of a longer one is ignored
MAX_PAIRS = 100  # on the page


class Pair(NamedTuple):
    share: float
    one: object
    other: object


def near_duplicates(entries):
    """The Pairs of the newest entries, the most alike first."""
    texts = defaultdict(list)  # entries by their words
    columns = "pk", "slug", "title", "description", "status"
    newest = entries.exclude(status=Status.WITHDRAWN).order_by("-pk")
    for entry in newest.values_list(*columns, named=True)[:NEWEST]:
        texts[words_of(entry)].append(entry)
    pairs = [Pair(1, *both) for same in texts.values() for both in pairwise(same)]
    for one, other, shared in alike(texts):
        pairs.append(Pair(shared, texts[one][0], texts[other][0]))
    return sorted(pairs, key=lambda pair: -pair.share)[:MAX_PAIRS]


def words_of(entry):
    words = re.findall(r"\w+", f"{entry.title} {entry.description}".lower())
    return frozenset(words[:MAX_WORDS])


def alike(texts):
    """(text, text, share) of those that share enough; only texts with a rare word are compared."""
    by_word = defaultdict(list)
    for text in texts:
        for word in text:
            by_word[word].append(text)
    rare = (with_word for with_word in by_word.values() if len(with_word) <= COMMON)
    for one, other in Counter(pair for texts in rare for pair in combinations(texts, 2)):
        share = len(one & other) / len(one | other)
        if share >= MIN_SHARE:
            yield one, other, share


def duplicates_view(model_admin, request):
    return model_admin.page(
        request,
        "admin/catalogue/duplicates.html",
        f"Near-duplicates among the {model_admin.opts.verbose_name_plural}",
        pairs=near_duplicates(model_admin.model.objects),
        newest=NEWEST,
    )


PAGES = [Page("near-duplicates/", "duplicates", duplicates_view, button="Near-duplicates")]
