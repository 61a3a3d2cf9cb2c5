"""Slugs that people take for each other."""

import re

PLURAL = re.compile(r"s(?=-|\Z)")


def look_alike_keys(slug):
    """Two slugs look alike if they have a key in common.

    They differ only in 0 and o, 1, l and i, rn and m, hyphens, or a plural s at the end of a word.
    """
    return {as_key(slug), as_key(PLURAL.sub("", slug)), as_key(slug.removesuffix("s"))}


def as_key(slug):
    slug = slug.replace("-", "").replace("rn", "m")
    return slug.translate({ord("0"): "o", ord("1"): "i", ord("l"): "i"})
