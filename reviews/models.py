from functools import partial

from django.db import models, transaction
from django.db.models import Case, F, Q, When
from django.utils import timezone

from agents.models import Agent
from catalogue.exceptions import PersonaNotFound
from catalogue.models import Persona
from marketplace.adminsite.history import StaffHistory
from marketplace.models import MAX_REASON, make_public_id
from reviews.exceptions import ReviewRequiresInstall
from reviews.sql import SUBMIT_REVIEW


class ReviewManager(models.Manager):
    def submit(self, agent, slug, *, rating, comment=""):
        """Write the agent's one review of a persona; return it and whether it is new.

        A second one replaces the whole review. Raises PersonaNotFound or ReviewRequiresInstall
        (specification, Review).
        """
        now = timezone.now()
        verdict = agent.run_alone(
            SUBMIT_REVIEW,
            slug=slug,
            rating=rating,
            comment=comment,
            now=now,
            public_id=make_public_id("review"),
        )
        if verdict.persona_id is None:
            raise PersonaNotFound
        if verdict.review_id is None:
            raise ReviewRequiresInstall
        review = self.model(
            pk=verdict.review_id,
            public_id=verdict.public_id,
            agent=agent,
            persona=Persona(pk=verdict.persona_id, slug=slug),
            rating=rating,
            comment=comment,
            created_at=verdict.created_at,
            updated_at=now,
        )
        return review, verdict.is_new


class Review(models.Model):
    public_id = models.CharField(
        max_length=40, default=partial(make_public_id, "review"), editable=False
    )
    # The unique constraint begins with the agent and serves as this key's index.
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="reviews", db_index=False)
    persona = models.ForeignKey(Persona, models.PROTECT, related_name="reviews")
    rating = models.DecimalField(max_digits=3, decimal_places=2)
    comment = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    hidden_at = models.DateTimeField(null=True, editable=False)
    hiding_reason = models.CharField(max_length=MAX_REASON, blank=True, editable=False)
    # What averages and distributions count: the rating, or NULL while the review is hidden.
    counted_rating = models.GeneratedField(
        expression=Case(When(hidden_at=None, then=F("rating"))),
        output_field=models.DecimalField(max_digits=3, decimal_places=2, null=True),
        db_persist=True,
    )

    objects = ReviewManager()
    history = StaffHistory(
        excluded_fields=["public_id", "created_at", "updated_at", "counted_rating"]
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(F("rating"), F("id").desc(), name="review_rating"),
            models.Index(F("created_at"), name="review_created"),
            models.Index(
                F("updated_at"), name="review_hidden", condition=Q(hidden_at__isnull=False)
            ),
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

    def hide(self, reason):
        """Take the review out of every average and public response; its agent is not told."""
        self._set_hidden(hidden_at=timezone.now(), reason=reason)

    def restore(self):
        """Count the review again, as its agent has left it meanwhile."""
        self._set_hidden(hidden_at=None, reason="")

    @transaction.atomic
    def _set_hidden(self, *, hidden_at, reason):
        # In the order in which a review is submitted: the agent first, the shared counter last.
        self.agent.lock()
        self.refresh_from_db(fields=["rating", "hidden_at"])
        if (self.hidden_at is None) == (hidden_at is None):
            return
        self.hidden_at, self.hiding_reason = hidden_at, reason
        self.save(update_fields=["hidden_at", "hiding_reason"])
        sign = 1 if hidden_at is None else -1
        Persona.objects.filter(pk=self.persona_id).update(
            rating_sum=F("rating_sum") + sign * self.rating, rating_count=F("rating_count") + sign
        )
