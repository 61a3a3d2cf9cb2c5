"""The template tags of the website; settings.TEMPLATES names this module."""

from django.template import Library
from django.utils.html import format_html

from interfaces.website.emblems import emblem_of

register = Library()
WEEK = 10  # width of a week in a sparkline, in the units of its viewBox
HIGH = 32


@register.simple_tag
def emblem(slug, category):
    """The emblem of an entry as inline SVG."""
    drawn = emblem_of(slug, category)
    return format_html(
        '<svg class="emblem" viewBox="0 0 2 2" aria-hidden="true"><path fill="{}" d="M0 0h2v2H0z"/>'
        '<path fill="#fff" d="{}"/><path fill="#fff" opacity=".5" d="{}"/></svg>',
        *(drawn.colour, drawn.path(pale=False), drawn.path(pale=True)),
    )


@register.simple_tag
def sparkline(weeks):
    """Numbers of weeks as inline SVG, with the same in words."""
    highest = max(*weeks, 1)
    bars = "".join(
        f"M{number * WEEK} {HIGH}v-{max(round(HIGH * week / highest, 1), 1):g}h{WEEK - 2}V{HIGH}z"
        for number, week in enumerate(weeks)
    )
    return format_html(
        '<svg class="sparkline" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<path d="{}"/></svg>',
        *(WEEK * len(weeks) - 2, HIGH),
        f"Installs of each of the last {len(weeks)} weeks, the oldest first: "
        + ", ".join(map(str, weeks)),
        bars,
    )


@register.filter
def stars(rating):
    """★★★★☆"""
    nearest = int(rating + rating.__class__("0.5"))
    return "★" * nearest + "☆" * (5 - nearest)


@register.filter
def installs(entry):
    """How often an entry of either kind was installed."""
    return entry.downloads if hasattr(entry, "downloads") else entry.installs
