"""The template tags of the website; settings.TEMPLATES names this module."""

import re
from decimal import Decimal

from django.conf import settings
from django.template import Library
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince

from agents.tokens import NOTED_EVERY
from catalogue.models.checks import is_checked
from interfaces.website.emblems import EDGE, emblem_of
from marketplace import access
from marketplace.features import has_connectors

register = Library()
WEEK = 10  # width of a week in a sparkline, in the units of its viewBox
HIGH = 32


@register.simple_tag
def emblem(slug, category):
    """The emblem of an entry as inline SVG."""
    return format_html(
        '<svg class="emblem" viewBox="{0} {0} {1} {1}" aria-hidden="true">'
        '<path fill="{2}" d="M{0} {0}h{1}v{1}h-{1}z"/>'
        '<path fill="#fff" d="{3}"/><path fill="#fff" opacity=".5" d="{4}"/></svg>',
        *(-EDGE, 2 + 2 * EDGE, *emblem_of(slug, category)),
    )


@register.simple_tag
def sparkline(weeks):
    """Weekly numbers as inline SVG, with a description in words."""
    highest = max(*weeks, 1)
    bars = "".join(
        f"M{number * WEEK} {HIGH}v-{max(round(HIGH * week / highest, 1), 1):g}h{WEEK - 2}V{HIGH}z"
        for number, week in enumerate(weeks)
    )
    return format_html(
        '<svg class="sparkline" viewBox="0 0 {} {}" role="img">'
        '<title>{}; oldest first: {}</title><path d="{}"/></svg>',
        *(WEEK * len(weeks) - 2, HIGH),
        *(range_of(weeks), ", ".join(map(str, weeks))),
        bars,
    )


@register.filter
def range_of(weeks):
    """For example "Installs a week, last 12 weeks: 0 to 6"."""
    low, high = f"{min(weeks):,}", f"{max(weeks):,}"
    numbers = low if low == high else f"{low} to {high}"
    return f"Installs a week, last {len(weeks)} weeks: {numbers}"


@register.filter
def stars(rating):
    """To the nearest half, quarters up: ★★★★½"""
    halves = int(rating * 2 + Decimal("0.5"))
    return "★" * (halves // 2) + "½" * (halves % 2)


@register.filter
def ago(moment):
    """How many days, weeks, months or years ago something was. Pages expire each day."""
    days = (timezone.now().date() - moment.date()).days
    if days < 2:
        return "yesterday" if days == 1 else "today"
    for unit, length in (("year", 365), ("month", 30), ("week", 7)):
        if days >= 2 * length:
            return f"{days // length} {unit}s ago"
    return f"{days} days ago"


@register.filter
def rating(stars):
    """As the agent sent it, without trailing zeros: 4.5 and not 4.50."""
    return f"{stars.normalize():f}"


@register.filter
def money(cents):
    return f"${cents / 100:,.2f}"


@register.simple_tag
def staff_contact():
    """The address that links to the staff, or "" if the deployer has not set STAFF_CONTACT."""
    contact = settings.STAFF_CONTACT
    return f"mailto:{contact}" if "@" in contact else contact


@register.simple_tag
def members_only():
    """Whether the catalogue is for members only."""
    return not access.is_public()


@register.filter
def used(moment):
    """When a token was last used, as exactly as the database records it (contract 4.12)."""
    age = timezone.now() - moment
    return (
        "in the last 15 minutes" if age < NOTED_EVERY else f"about {timesince(moment, depth=1)} ago"
    )


@register.filter
def first_sentence(text):
    """The first sentence of a description; the others mostly say when to use the entry."""
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]


@register.filter
def headline(event):
    """What happened, in words such as "Versions 3 to 5"."""
    first, last, kind = event.before + 1, event.number, event.kind
    return {
        "recalled": f"Recalled {kind}",
        "version recalled": f"Version {last:,} recalled",
        "deprecated": f"Deprecated {kind}",
        "updated": f"Versions {first:,} to {last:,}" if first < last else f"Version {last:,}",
        "new": f"New {kind}",
    }[event.change]


register.filter(is_checked)
register.simple_tag(has_connectors)


@register.filter
def installs(entry):
    """How often an entry of either kind was installed."""
    return entry.downloads if hasattr(entry, "downloads") else entry.installs
