"""The model of reports, deprecation, the feed of changes and facets."""

from collections import Counter

from tests.system.matchers import StartsWith, Timestamp
from tests.system.model_agents import Reply, error, operation
from tests.system.model_catalogue import published

FACETS = {
    "categories": lambda fields: [fields["category"]],
    "runtimes": lambda fields: fields["runtimes"],
    "tags": lambda fields: fields["tags"],
    "authors": lambda fields: [fields["author"]],
    "licenses": lambda fields: [fields["license"]],
}

# The fields of an entry in the details of entries that it bundles, or that bundle it.
SHOWN_BESIDE = {"skills": {"title", "description"}, "personas": {"title"}}


class SignalRules:
    @operation("review", policy="report")
    def report(self, token, body):
        kind = body["kind"]
        if kind == "review":
            # A review that is written again is another one.
            target = (review := self.shown_review(body["reviewId"])) and review.review_id
        else:
            target = self.published(f"{kind}s", body["slug"])
        if target is None:
            return error(404, f"{kind.capitalize()} not found")
        is_new = target not in token.agent.reports
        if is_new:
            token.agent.reports[target] = {
                "reportId": self.opaque("report"),
                "createdAt": Timestamp(self.interval),
            }
        filed = {"message": StartsWith("Report "), **token.agent.reports[target]}
        return Reply(201 if is_new else 200, filed)

    def shown_review(self, review_id):
        matches = (
            review
            for agent in self.agents
            for review in agent.reviews.values()
            if review.is_shown
            and review.persona.is_published
            and str(review.review_id) == review_id
        )
        return next(matches, None)

    def facets(self, _token, query):
        entries = published(self.entries[f"{query['kind']}s"])
        return Reply(200, {name: counted(values, entries) for name, values in FACETS.items()})

    # Operations of staff

    def deprecate(self, entry, message, successor=None):
        entry.successor = successor
        self.edit(entry, deprecation=message)

    def end_deprecation(self, entry):
        self.deprecate(entry, "")

    def predecessors(self, entry):
        return [other for other in self.entries[entry.kind] if other.successor is entry]

    # The feed: the state of each slug, and the slugs that are new since the last read

    def note(self, entry, *, was_published, changed=frozenset()):
        """Entries that show this entry change with it, unless it was and is not public.

        `changed` are the names of the changed values.
        """
        entry.keep_version(Timestamp(self.interval))
        if not was_published and not entry.is_published:
            return
        has_moved = was_published != entry.is_published
        others = self.predecessors(entry) if has_moved else []
        if has_moved or changed & SHOWN_BESIDE[entry.kind]:
            others += entry.bundle + entry.bundled_in
        for other in (entry, *published(others)):
            self.note_one(other)

    def note_one(self, entry):
        key = entry.kind.removesuffix("s"), entry.slug
        before, *_ = self.feed.get(key, ("withdrawn",))
        if not entry.is_published:
            self.feed[key] = "withdrawn", None, None
        else:
            change = "published" if before == "withdrawn" else "updated"
            self.feed[key] = change, entry.digest, len(entry.versions)
        self.unread.add(key)

    def changes(self):
        """The new changes, as `{(kind, slug): (change, digest, number)}`."""
        new = {key: self.feed[key] for key in self.unread}
        self.unread.clear()
        return new


def counted(values, entries):
    numbers = Counter(value for entry in entries for value in set(values(entry.fields)))
    del numbers[""]
    most_common = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"value": value, "count": number} for value, number in most_common]
