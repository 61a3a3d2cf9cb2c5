from datetime import timedelta

from django.contrib import admin
from django.db.models import F, Q
from django.template.defaultfilters import truncatechars
from django.utils import timezone
from django.utils.html import format_html

from agents.models import Agent
from catalogue.models import Persona
from marketplace.adminsite import theme
from marketplace.adminsite.base import ReadOnlyModelAdmin, ReasonForm
from reviews.models import Review


class RatingFilter(admin.SimpleListFilter):
    title = parameter_name = "rating"

    def lookups(self, request, model_admin):
        return [(str(rating), "★" * rating) for rating in range(5, 0, -1)]

    def queryset(self, request, queryset):
        """Ratings with fractions count at the nearest whole, halves up, as the API counts them."""
        if self.value() and self.value() in "12345":
            nearest = int(self.value())
            return queryset.filter(rating__gte=nearest - 0.5, rating__lt=nearest + 0.5)
        return queryset


class HiddenFilter(admin.SimpleListFilter):
    title = parameter_name = "hidden"

    def lookups(self, request, model_admin):
        return [("yes", "hidden"), ("changed", "changed since it was hidden"), ("no", "shown")]

    def queryset(self, request, queryset):
        if self.value() == "yes":
            return queryset.filter(hidden_at__isnull=False)
        if self.value() == "changed":
            return queryset.filter(hidden_at__isnull=False, updated_at__gt=F("hidden_at"))
        if self.value() == "no":
            return queryset.filter(hidden_at=None)
        return queryset


class PersonaFilter(theme.TextFilter):
    title = parameter_name = "persona"

    def queryset(self, request, queryset):
        if self.value():
            personas = Persona.objects.filter(slug=self.value().strip())
            return queryset.filter(persona__in=personas.values("pk"))
        return queryset


@admin.register(Review)
class ReviewAdmin(ReadOnlyModelAdmin):
    list_display = ["persona", "agent", "rating", "text", "state", "updated_at"]
    list_select_related = ["persona", "agent"]
    list_filter = [RatingFilter, PersonaFilter, HiddenFilter]
    search_fields = ["public_id"]  # see `find`
    search_help_text = "A whole slug, handle or reviewId"
    fields = [
        *("persona", "agent", "rating", "comment", "created_at", "updated_at"),
        *("state", "hidden_at", "hiding_reason", "public_id"),
    ]
    actions = ["hide", "restore"]
    counted_by_day = ("Reviews", "created_at")
    in_totals = True

    def get_queryset(self, request):
        return super().get_queryset(request).defer("persona__content")

    def find(self, queryset, term):
        persona = Persona.objects.filter(slug=term.lower()).values("pk").first()
        agent = Agent.objects.filter(handle=term.lower()).values("pk").first()
        return queryset.filter(
            Q(persona_id=persona["pk"] if persona else None)
            | Q(agent_id=agent["pk"] if agent else None)
            | Q(public_id=term)
        )

    def attention(self):
        """Nobody flags a review over the API; these are the ones that deserve a look."""
        week = timezone.now() - timedelta(days=7)
        poor = Review.objects.filter(rating__lt=1.5, hidden_at=None, created_at__gte=week)
        changed = Review.objects.filter(hidden_at__isnull=False, updated_at__gt=F("hidden_at"))
        return [
            ("reviews of this week with one star", poor, "?rating=1&hidden=no"),
            ("hidden reviews that were changed since", changed, "?hidden=changed"),
        ]

    @admin.display(description="comment")
    def text(self, review):
        return truncatechars(review.comment, 120) or "none"

    @admin.display(description="state")
    def state(self, review):
        label = "hidden" if review.hidden_at else "shown"
        return format_html('<span class="state state-{}">{}</span>', label, label)

    def is_offered(self, action, row):
        return (row.hidden_at is None) == (action == "hide")

    def has_moderate_permission(self, request):
        return request.user.has_perm("reviews.change_review")

    @admin.action(description="Hide", permissions=["moderate"])
    def hide(self, request, queryset):
        form = ReasonForm(request.POST if self.is_confirmed(request) else None)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "hide",
                form=form,
                danger=True,
                text="A hidden review is in no average and no public answer. Its agent can still "
                "change it, and it stays hidden. The reason is for staff.",
                facts=[(f"{r.persona} by {r.agent}: {r.rating}", r.comment) for r in queryset],
            )
        reason = form.cleaned_data["reason"]
        self.moderate(request, queryset, f"Hidden: {reason}", lambda review: review.hide(reason))
        return None

    @admin.action(description="Restore", permissions=["moderate"])
    def restore(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(
                request,
                queryset,
                "restore",
                text="They count again, as their agents have left them.",
                facts=[(f"{r.persona} by {r.agent}: {r.rating}", r.comment) for r in queryset],
            )
        self.moderate(request, queryset, "Restored.", Review.restore)
        return None

    def moderate(self, request, queryset, said, change):
        """Each review in a transaction of its own, which locks no more than one of a kind."""
        reviews = list(queryset.order_by("pk"))
        for review in reviews:
            with self.changing(request, review, said):
                change(review)
        self.message_user(request, f"{len(reviews)} {said.partition(':')[0].lower().strip('.')}.")
