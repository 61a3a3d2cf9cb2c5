"""The website's documents: the sitemap for crawlers, Atom feeds, and the activity.

django.contrib.sitemaps counts all entries and reads its pages with OFFSET, so the parts here are
ranges of ids. The feeds are Django's Atom1Feed, without the views of django.contrib.syndication.
"""

import re

import orjson
from django.conf import settings
from django.http import Http404
from django.utils.feedgenerator import Atom1Feed, get_tag_uri
from django.utils.html import escape
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from interfaces.website import reads
from interfaces.website.access import refusal
from interfaces.website.tags import headline
from marketplace.access import AsksReaders, Audience
from marketplace.api.links import base_url
from marketplace.api.responses import public_response
from marketplace.hidden_text import visible

PART = re.compile(r"(skills|personas)-(0|[1-9][0-9]{0,8})")
PAGES = ["/", "/skills", "/personas", "/this-week", "/docs", "/skill.md", "/guide.md", "/llms.txt"]
MAX_NEW = 50
# Characters that XML 1.0 cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class PublicDocument(AsksReaders, View):
    """Not a page: its errors are JSON. A members-only catalogue has none."""

    audience = Audience.OUTSIDERS
    parameters = frozenset()

    http_method_names = ["get", "head"]
    content_type = "application/xml; charset=utf-8"

    dispatch = csrf_exempt(View.dispatch)

    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        refusal(self, request)

    def respond(self, content, *validators):
        return public_response(content, *validators, content_type=self.content_type)


class ActivityDocument(PublicDocument):
    """`{"events": [{"who", "did", "what", "url", "at"}]}`, newest first, for the start page."""

    content_type = "application/json"

    def get(self, request):
        if not settings.SHOW_ACTIVITY:
            raise Http404
        events, validator, _ = reads.newest_activity()
        return self.respond(orjson.dumps({"events": events}), validator)


class SitemapIndex(PublicDocument):
    def get(self, request):
        parts, validator, _ = reads.sitemap_parts()
        names = ["pages", *(f"{section}-{number}" for section, number in parts)]
        urls = [(f"{base_url(request)}/sitemap-{name}.xml", None) for name in names]
        return self.respond(sitemap("sitemapindex", "sitemap", urls), validator)


class Sitemap(PublicDocument):
    def get(self, request, part):
        base = base_url(request)
        paths = [(path, None) for path in PAGES] if part == "pages" else self.entries(part)
        urls = [(f"{base}{path}", updated_at) for path, updated_at in paths]
        # No validator, so no caching: a few parts would fill the cache of this process.
        return self.respond(sitemap("urlset", "url", urls), None)

    def entries(self, part):
        match = PART.fullmatch(part)
        if match is None:
            raise Http404
        section = match[1]
        rows = reads.sitemap_part(section, int(match[2]))
        if not rows:
            raise Http404
        return [(f"/{section}/{slug}", updated_at) for slug, updated_at in rows]


def sitemap(root, element, urls):
    """A document of the sitemap protocol. Neither a host nor a slug needs escaping."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ]
    for url, updated_at in urls:
        lastmod = f"<lastmod>{updated_at:%Y-%m-%dT%H:%M:%SZ}</lastmod>" if updated_at else ""
        lines.append(f"<{element}><loc>{url}</loc>{lastmod}</{element}>")
    return "\n".join([*lines, f"</{root}>\n"])


class AtomFeed(PublicDocument):
    """A feed for readers (RFC 4287)."""

    content_type = "application/atom+xml; charset=utf-8"
    path = None
    title = None
    page = "/"  # that it is about

    def respond_with(self, items, *validators):
        """`items` are what `add_item` takes, with an `id` that is unique within this host."""
        base = base_url(self.request)
        feed = Atom1Feed(
            title=self.title,
            link=f"{base}{self.page}",
            description=None,
            feed_url=f"{base}{self.path}",
            feed_guid=f"{base}{self.path}",
            author_name="Agent Marketplace",
            language="en",
        )
        for item in items:
            item["unique_id"] = get_tag_uri(f"{base}/{item.pop('id')}", item["pubdate"])
            item["link"] = f"{base}{item['link']}"
            # Readers take a summary for HTML.
            item["description"] = escape(plain(item["description"]))
            feed.add_item(**item | {"title": plain(item["title"])})
        return self.respond(feed.writeString("utf-8"), *validators)


def plain(text):
    """The text as XML can hold it, with hidden characters as visible marks."""
    return visible(NOT_XML.sub("", text))


class NewEntriesFeed(AtomFeed):
    """The newest skills and personas."""

    path = "/feed.atom"
    title = "New in the Agent Marketplace"

    def get(self, request):
        newest, validator, _ = reads.newest(MAX_NEW)
        entries = [(section, entry) for section, rows in newest.items() for entry in rows]
        entries.sort(key=lambda pair: pair[1].created_at, reverse=True)
        return self.respond_with(map(self.item, entries[:MAX_NEW]), validator)

    def item(self, pair):
        section, entry = pair
        return {
            "id": entry.public_id,
            "title": entry.title,
            "link": f"/{section}/{entry.slug}",
            "description": entry.description,
            "author_name": plain(entry.author) or None,
            "categories": [plain(entry.category)] if entry.category else [],
            "pubdate": entry.created_at,
            "updateddate": entry.updated_at,
        }


class WeekFeed(AtomFeed):
    """What changed in the last seven days."""

    is_slow = True
    path = "/this-week.atom"
    title = "What changed this week in the Agent Marketplace"
    page = "/this-week"

    def get(self, request):
        (days, _), validator, _ = reads.this_week()
        items = [self.item(event) for _, events in days for event in events]
        return self.respond_with(items, validator, reads.until_tomorrow())

    def item(self, event):
        return {
            "id": f"{event.public_id}/{event.change.replace(' ', '-')}/{event.number}",
            "title": f"{headline(event)}: {event.title}",
            "link": f"/{event.kind}s/{event.slug}",
            "description": event.note,
            "pubdate": event.at,
            "updateddate": event.at,
        }
