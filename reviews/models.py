from functools import partial

from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Persona
from marketplace.adminsite.history import StaffHistory
from marketplace.db.compiled_queries import run_at_once
from marketplace.models import make_public_id
from reviews.exceptions import PersonaNotInstalled
from reviews.sql import SUBMIT_REVIEW


class ReviewManager(models.Manager):
    def submit(self, agent, slug, *, rating, comment=""):
        """Write the agent's one review of a persona; returns it and whether it is new.

        A second one replaces the whole review. Raises PersonaNotFound or PersonaNotInstalled
        (specification, Review).
        """
        return self.submit_at_once(agent, slug, rating, comment) or self.submit_stepwise(
            agent, slug, rating, comment
        )

    def submit_at_once(self, agent, slug, rating, comment):
        """The review by one statement, or None where anything is in its way."""
        now, public_id = timezone.now(), make_public_id("review")
        row = run_at_once(
            SUBMIT_REVIEW,
            agent=agent.pk,
            slug=slug,
            rating=rating,
            comment=comment,
            now=now,
            public_id=public_id,
        )
        if row is None:
            return None
        pk, persona_pk, public_id, created_at, more = row
        review = self.model(
            pk=pk,
            public_id=public_id,
            agent=agent,
            persona=Persona(pk=persona_pk, slug=slug),
            rating=rating,
            comment=comment,
            created_at=created_at,
            updated_at=now,
        )
        return review, bool(more)

    @transaction.atomic
    def submit_stepwise(self, agent, slug, rating, comment):
        # The look-up locks the agent, so that its first two reviews take turns.
        persona = agent.look_up(Persona.objects.published().only("slug"), slug)
        review = self.filter(agent=agent, persona=persona).first()
        is_new = review is None
        if is_new:
            if not agent.persona_installs.filter(persona=persona).exists():
                raise PersonaNotInstalled
            review = self.model(agent=agent, rating=0)
        change = rating - review.rating
        review.persona, review.rating, review.comment = persona, rating, comment
        review.updated_at = timezone.now()
        if is_new:
            review.created_at = review.updated_at
        review.save()
        # A hidden review is in no average; its agent may go on changing it.
        if review.hidden_at is None:
            Persona.objects.count_rating(persona, change=change, more=int(is_new))
        return review, is_new


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
    hiding_reason = models.CharField(max_length=1000, blank=True, editable=False)

    objects = ReviewManager()
    history = StaffHistory(excluded_fields=["public_id", "created_at", "updated_at"])

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
        """Take the review out of every average and public answer; its agent is not told."""
        self._count(hidden_at=timezone.now(), reason=reason)

    def restore(self):
        """Count the review again, as its agent has left it meanwhile."""
        self._count(hidden_at=None, reason="")

    @transaction.atomic
    def _count(self, *, hidden_at, reason):
        # In the order of a review that is submitted: the agent first, the shared counter last.
        Agent.objects.select_for_update(no_key=True).only("pk").get(pk=self.agent_id)
        self.refresh_from_db(fields=["rating", "hidden_at"])
        if (self.hidden_at is None) == (hidden_at is None):
            return
        self.hidden_at, self.hiding_reason = hidden_at, reason
        self.save(update_fields=["hidden_at", "hiding_reason"])
        sign = 1 if hidden_at is None else -1
        Persona.objects.count_rating(self.persona, change=sign * self.rating, more=sign)
