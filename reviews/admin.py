from datetime import timedelta
from decimal import Decimal

from django.contrib import admin, messages
from django.template.defaultfilters import truncatechars
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from catalogue.models import Persona
from marketplace.adminsite import theme
from marketplace.adminsite.actions import ReasonForm, confirmed_action, offered_to
from marketplace.adminsite.base import (
    MenuItem,
    ReadOnlyModelAdmin,
    WholeNameSearchMixin,
    link_to,
)
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.adminsite.history_pages import HistoryMixin
from marketplace.adminsite.panels import panel
from reviews.models import Review


def rated(nearest):
    """Ratings with fractions count at the nearest whole, halves up, as the API counts them."""
    bounds = {"rating__gte": nearest - 0.5, "rating__lt": nearest + 0.5}
    return lambda reviews: reviews.filter(**bounds)


class RatingFilter(ChoiceFilter):
    title = parameter_name = "rating"
    options = {str(rating): ("★" * rating, rated(rating)) for rating in range(5, 0, -1)}


class HiddenFilter(ChoiceFilter):
    title = parameter_name = "hidden"
    options = {
        "yes": ("hidden", lambda reviews: reviews.exclude(hidden_at=None)),
        "changed": ("changed since it was hidden", lambda reviews: reviews.changed_since_hidden()),
        "no": ("shown", lambda reviews: reviews.visible()),
        "kept": ("not deleted", lambda reviews: reviews.present()),
        "deleted": ("deleted", lambda reviews: reviews.exclude(deleted_at=None)),
    }


class PersonaFilter(theme.TextFilter):
    title = parameter_name = "persona"

    def queryset(self, request, queryset):
        if self.value():
            personas = Persona.objects.filter(slug=self.value().strip())
            return queryset.filter(persona__in=personas.values("pk"))
        return queryset


def facts_of(_admin, reviews):
    """What the confirmation shows of each review."""
    return [
        (f"{review.persona} by {review.agent}: {review.rating}", review.comment)
        for review in reviews
    ]


def newest_reviews(_admin, request, persona):
    reviews = persona.reviews.select_related("agent").only(
        *("rating", "hidden_at", "deleted_at", "persona_id", "agent_id", "agent__handle")
    )
    url = reverse("admin:reviews_review_changelist")
    may_list = request.user.has_perm("reviews.view_review")
    return panel(
        "Newest reviews",
        reviews,
        lambda review: (
            review.agent.handle,
            f"{review.rating}, {review.state}",
            link_to(request, "reviews.review", review.pk),
        ),
        f"{url}?persona={persona.slug}" if may_list else "",
    )


admin.site.get_model_admin(Persona).extend(panels=[newest_reviews])


@admin.register(Review)
class ReviewAdmin(HistoryMixin, WholeNameSearchMixin, ReadOnlyModelAdmin):
    menu = MenuItem("Activity", 32, "reviews")
    list_display = ["persona", "agent", "stars", "text", "state", "updated_at"]
    list_select_related = ["persona", "agent"]
    list_filter = [RatingFilter, PersonaFilter, HiddenFilter]
    search_fields = ["persona__slug", "agent__handle", "public_id"]
    search_help_text = "A whole slug, handle or reviewId"
    fields = [
        *("persona", "agent", "stars", "comment", "created_at", "updated_at"),
        *("state", "hidden_at", "hiding_reason", "deleted_at", "public_id"),
    ]
    actions = ["hide", "restore"]
    counted_by_day = "created_at"
    counted_query = {"hidden": "kept"}
    in_totals = True

    def get_queryset(self, request):
        return super().get_queryset(request).defer(*Persona.long_columns("persona__"))

    def view_on_site(self, obj):
        """The page of its persona, which shows it."""
        is_public = obj.state == "shown" and obj.persona.is_published
        return obj.persona.get_absolute_url() if is_public else None

    def counted_rows(self):
        return Review.objects.present()

    def attention(self):
        """Reviews that deserve a look, even if no agent reports them."""
        week = timezone.now() - timedelta(days=7)
        poor = Review.objects.visible().filter(rating__lt=1.5, created_at__gte=week)
        edited_since = Review.objects.changed_since_hidden()
        return [
            ("one-star reviews this week", poor, "?rating=1&hidden=no"),
            ("hidden reviews that changed since", edited_since, "?hidden=changed"),
        ]

    @admin.display(description="rating")
    def stars(self, review):
        return stars(review.rating)

    @admin.display(description="comment")
    def text(self, review):
        return truncatechars(review.comment, 120) or "none"

    def named(self, done, rows):
        return [(review, f"{review.persona} by {review.agent}") for review in rows]

    def has_moderate_permission(self, request):
        return request.user.has_perm("reviews.change_review")

    @confirmed_action(
        "Hide",
        ReasonForm,
        permissions=["moderate"],
        danger=True,
        text="A hidden review counts in no average and is in no public response. Its agent can "
        "still change it, but it stays hidden. Only staff see the reason.",
        facts=facts_of,
        refusal="Nothing to hide: none of these is shown.",
        level=messages.INFO,
    )
    @offered_to(lambda review: review.state == "shown")
    def hide(self, request, queryset, reason):
        self.change_each(request, queryset, f"Hidden: {reason}", lambda review: review.hide(reason))

    @confirmed_action(
        "Restore",
        permissions=["moderate"],
        text="Restored reviews count again, as their agents last wrote them. A deleted review "
        "counts once its agent writes it again.",
        facts=facts_of,
        refusal="Nothing to restore: none of these is hidden.",
        level=messages.INFO,
    )
    @offered_to(lambda review: review.hidden_at is not None)
    def restore(self, request, queryset):
        self.change_each(request, queryset, "Restored.", Review.restore)


def stars(rating):
    """A rating as stars, the nearest whole number of them; one with a fraction also as a number."""
    number, nearest = f"{rating:.2f}".rstrip("0").rstrip("."), int(rating + Decimal("0.5"))
    return format_html(
        '<span class="stars" role="img" aria-label="{} of 5 stars">{}{}</span>{}',
        number,
        "★" * nearest,
        "☆" * (5 - nearest),
        f" {number}" if "." in number else "",
    )
