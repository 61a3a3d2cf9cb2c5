from functools import partial

from django.db import models, transaction
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Persona
from marketplace.models import make_public_id
from reviews.exceptions import PersonaNotInstalled


class ReviewManager(models.Manager):
    @transaction.atomic
    def submit(self, agent, slug, *, rating, comment=""):
        """Write the agent's one review of a persona; returns it and whether it is new.

        A second one replaces the whole review. Raises PersonaNotFound or PersonaNotInstalled
        (specification, Review).
        """
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
        Persona.objects.count_rating(persona, change=change, new=is_new)
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

    objects = ReviewManager()

    class Meta:
        ordering = ["-id"]
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
