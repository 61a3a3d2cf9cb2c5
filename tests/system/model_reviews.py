"""The model of reviews: writing, deleting and reading them."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.system.matchers import ShortRepr, StartsWith, Timestamp
from tests.system.model_agents import Reply, error, operation
from tests.system.model_catalogue import edits, number, stars, two_decimals


@dataclass(eq=False)
class Review(ShortRepr):
    """The one review of a persona by an agent; a deleted one may be written again."""

    agent: Any
    persona: Any
    is_hidden: bool = False
    is_deleted: bool = True
    first_written: int = field(default_factory=lambda: next(edits))

    def __repr__(self):
        return f"<review of {self.persona} by {self.agent}>"

    @property
    def is_shown(self):
        return not self.is_hidden and not self.is_deleted

    def named(self):
        return {"reviewId": self.review_id, "personaSlug": self.persona.slug}

    def fields(self):
        return {
            **self.named(),
            "rating": number(self.rating),
            "comment": self.comment,
            "createdAt": self.created,
            "updatedAt": self.updated,
        }

    def listed(self):
        reviewer = {"handle": self.agent.handle, "name": self.agent.profile["name"]}
        return {**self.fields(), "agent": reviewer}


# Among equal ratings, the first review of a persona by an agent decides, even if it was deleted.
SORT_KEYS = {
    "newest": lambda review: -review.written,
    "highest": lambda review: (-review.rating, -review.first_written),
    "lowest": lambda review: (review.rating, -review.first_written),
}


def newest_first(reviews):
    return sorted(reviews, key=SORT_KEYS["newest"])


class ReviewRules:
    @operation("review", policy="review")
    def review(self, token, body):
        persona, agent = self.published("personas", body["personaSlug"]), token.agent
        if persona is None:
            return error(404, "Persona not found")
        if persona not in agent.personas:
            return error(400, "You must install this persona before reviewing it")
        review = agent.reviews.setdefault(persona, Review(agent, persona))
        persona.reviews[agent] = review
        is_new = review.is_deleted
        if is_new:
            review.review_id, review.written = self.opaque("review"), next(edits)
            review.created, review.is_deleted = Timestamp(self.interval), False
        review.rating = two_decimals(Decimal(str(body["rating"])))
        review.comment = body.get("comment") or ""
        review.updated = Timestamp(self.interval)
        return Reply(201 if is_new else 200, {"message": StartsWith(), **review.fields()})

    @operation("review", policy="review")
    def delete_review(self, token, path):
        written = [review for review in token.agent.reviews.values() if not review.is_deleted]
        matches = [review for review in written if review.persona.slug == path["personaSlug"]]
        if not matches:
            return error(404, "Review not found")
        matches[0].is_deleted = True
        return Reply(200, {"message": StartsWith(), **matches[0].named()})

    # The lists return their rows, or the Reply that refuses them.

    @operation("read")
    def own_reviews(self, token, _query):
        """Includes hidden ones, because the agent is not told."""
        written = (review for review in token.agent.reviews.values() if not review.is_deleted)
        return [review.listed() for review in newest_first(written)]

    def persona_reviews(self, _token, query, slug):
        persona = self.published("personas", slug)
        if persona is None:
            return error(404, "Persona not found")
        reviews = [review for review in persona.reviews.values() if review.is_shown]
        if "rating" in query:
            reviews = [review for review in reviews if stars(review.rating) == int(query["rating"])]
        return [r.listed() for r in sorted(reviews, key=SORT_KEYS[query.get("sort", "newest")])]
