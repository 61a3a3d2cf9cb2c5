"""Whether a license is one that the marketplace accepts."""

import re

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

MAX_EXPRESSION = 500  # characters
TOKENS = re.compile(r"[()]|[^\s()]+")


def is_accepted(expression, licenses):
    """Whether one may use it under `licenses` alone, which are SPDX identifiers.

    The expression may have AND, OR, WITH and parentheses.
    """
    if len(expression) > MAX_EXPRESSION:
        return False
    try:
        canonical = canonicalize_license_expression(expression)
    except (InvalidLicenseExpression, RecursionError, MemoryError):
        return False
    accepted = {name.casefold() for name in licenses}
    return any_of(TOKENS.findall(canonical)[::-1], accepted)


def any_of(tokens, accepted):
    """OR binds least. `tokens` are read from their end."""
    result = all_of(tokens, accepted)
    while tokens and tokens[-1] == "OR":
        tokens.pop()
        result = all_of(tokens, accepted) or result
    return result


def all_of(tokens, accepted):
    result = one(tokens, accepted)
    while tokens and tokens[-1] == "AND":
        tokens.pop()
        result = one(tokens, accepted) and result
    return result


def one(tokens, accepted):
    name = tokens.pop()
    if name == "(":
        result = any_of(tokens, accepted)
        tokens.pop()
        return result
    # An exception gives more rights, and a plus gives a choice.
    if tokens and tokens[-1] == "WITH":
        del tokens[-2:]
    return name.casefold() in accepted or name.removesuffix("+").casefold() in accepted
