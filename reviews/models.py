from functools import partial

from django.db import models, transaction
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, When
from django.db.models.functions import JSONObject, Now
from django.utils import timezone

from agents.models import Agent, OperatorClaim
from catalogue.exceptions import PersonaNotFound
from catalogue.models import Persona
from catalogue.slugs import is_slug
from installs.models import take_turn
from marketplace.adminsite.history import StaffHistory
from marketplace.models import MAX_REASON, RandomTextField, make_public_id, newest_where
from marketplace.rows import instance_of, row_version
from reviews.exceptions import ReviewNotFound, ReviewRequiresInstall
from reviews.sql import SUBMIT_REVIEW


class ReviewQuerySet(models.QuerySet):
    def present(self):
        """Reviews that are not deleted, hidden or not."""
        return self.filter(deleted_at=None)

    def visible(self):
        """Public reviews: neither hidden nor deleted."""
        return self.filter(counted_rating__isnull=False)

    def changed_since_hidden(self):
        return self.present().filter(hidden_at__isnull=False, updated_at__gt=F("hidden_at"))

    def erase(self):
        """`Review.erase` for each, also in snapshots. Call it with the agent locked.

        The turns are taken in one order, so that two callers never wait for each other.
        """
        for review in self.present().select_related("persona").order_by("persona"):
            take_turn("persona", review.persona.slug)
            review.erase()
            review.history.update(comment="")

    def for_list(self):
        """Annotate the persona's and the agent's columns for lists; defer what no list shows."""
        # Subqueries, because a count of the rows would keep the joins.
        persona = Persona.objects.filter(pk=OuterRef("persona"))
        agent = Agent.objects.filter(pk=OuterRef("agent"))
        claims = OperatorClaim.objects.claimed().filter(agent=OuterRef("agent"))
        return self.defer("hidden_at", "hiding_reason", "deleted_at").annotate(
            row_version=row_version(self.model),
            slug=Subquery(persona.values("slug")),
            reviewer=Subquery(agent.values(reviewer=JSONObject(handle="handle", name="name"))),
            is_claimed=Exists(claims),
        )


class ReviewManager(models.Manager.from_queryset(ReviewQuerySet)):
    def submit(self, agent, slug, *, rating, comment=""):
        """Write the agent's one review of a persona; returns it and whether it is new.

        A second one replaces the whole review. Raises PersonaNotFound or ReviewRequiresInstall
        (contract 10.7).
        """
        verdict = agent.fetch_verdict(
            SUBMIT_REVIEW,
            slug=slug,
            rating=rating,
            comment=comment,
            now=timezone.now(),
            public_id=make_public_id("review"),
        )
        if verdict.persona_id is None:
            raise PersonaNotFound
        if verdict.review_id is None:
            raise ReviewRequiresInstall
        persona = instance_of(Persona, verdict, "persona_")
        review = instance_of(self.model, verdict, "review_", agent=agent, persona=persona)
        return review, verdict.is_new

    @transaction.atomic
    def delete_own(self, agent, slug):
        """Delete the agent's review of a persona, even if the persona is withdrawn.

        Raises ReviewNotFound (contract 14.6).
        """
        if not is_slug(slug):
            raise ReviewNotFound
        # The same locks as a submission, in the same order.
        agent.lock_active()
        take_turn("persona", slug)
        own = self.present().filter(agent=agent, persona__slug=slug)
        review = own.select_related("persona").defer(*Persona.long_columns("persona__")).first()
        if review is None:
            raise ReviewNotFound
        review.erase()
        return review


class Review(models.Model):
    public_id = RandomTextField(partial(make_public_id, "review"), max_length=40)
    # The unique constraint begins with the agent and serves as this key's index.
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="reviews", db_index=False)
    # review_newest serves as this one's.
    persona = models.ForeignKey(Persona, models.PROTECT, related_name="reviews", db_index=False)
    rating = models.DecimalField(max_digits=3, decimal_places=2)
    comment = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    hidden_at = models.DateTimeField(null=True, editable=False)
    hiding_reason = models.CharField(max_length=MAX_REASON, blank=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    # The rating that counts in averages and distributions; NULL if it is hidden or deleted.
    counted_rating = models.GeneratedField(
        expression=Case(When(hidden_at=None, deleted_at=None, then=F("rating"))),
        output_field=models.DecimalField(max_digits=3, decimal_places=2, null=True),
        db_persist=True,
    )

    objects = ReviewManager()
    history = StaffHistory(
        excluded_fields=["public_id", "created_at", "updated_at", "deleted_at", "counted_rating"]
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            # For the sorts of a persona's reviews.
            models.Index("persona", F("created_at").desc(), F("id").desc(), name="review_newest"),
            models.Index(
                "persona", F("counted_rating").desc(), F("id").desc(), name="review_highest"
            ),
            models.Index("persona", F("counted_rating"), F("id") * -1, name="review_lowest"),
            models.Index(F("rating"), F("id").desc(), name="review_rating"),
            models.Index(F("created_at"), name="review_created"),
            models.Index(
                F("updated_at"), name="review_hidden", condition=Q(hidden_at__isnull=False)
            ),
            newest_where("review_deleted", Q(deleted_at__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "persona"], name="one_review_per_agent_and_persona"
            ),
            models.UniqueConstraint(fields=["public_id"], name="unique_review_public_id"),
            models.CheckConstraint(
                condition=models.Q(rating__gte=1, rating__lte=5), name="rating_between_1_and_5"
            ),
        ]

    def __str__(self):
        return self.public_id

    @property
    def state(self):
        if self.deleted_at is not None:
            return "deleted"
        return "shown" if self.hidden_at is None else "hidden"

    def erase(self):
        """Erase the text, and remove the rating from the average; the row stays.

        So a hidden review stays hidden when it is written again.
        """
        self.deleted_at, self.comment = Now(), ""
        self.save(update_fields=["deleted_at", "comment"])
        if self.hidden_at is None:
            self._count(-1)

    def hide(self, reason):
        """Take the review out of every average and public response; its agent is not told."""
        self._set_hidden(hidden_at=timezone.now(), reason=reason)

    def restore(self):
        """Count the review again, in its current form."""
        self._set_hidden(hidden_at=None, reason="")

    @transaction.atomic
    def _set_hidden(self, *, hidden_at, reason):
        # In the order of a submission: the agent first, the shared counter last.
        self.agent.lock()
        self.refresh_from_db(fields=["rating", "hidden_at", "deleted_at"])
        if (self.hidden_at is None) == (hidden_at is None):
            return
        self.hidden_at, self.hiding_reason = hidden_at, reason
        self.save(update_fields=["hidden_at", "hiding_reason"])
        if self.deleted_at is None:
            self._count(1 if hidden_at is None else -1)

    def _count(self, number):
        """Add the rating to the persona's average, or with -1 remove it.

        The average (`Persona.rating_avg`) is the sum of the counted ratings, divided by their
        number.
        """
        Persona.objects.filter(pk=self.persona_id).update(
            rating_sum=F("rating_sum") + number * self.rating,
            rating_count=F("rating_count") + number,
        )
