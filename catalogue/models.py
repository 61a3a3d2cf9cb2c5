from functools import partial

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import Count, F, Func, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Collate, Length, Lower, NullIf, Round
from django.utils import timezone

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from marketplace.history import StaffHistory
from marketplace.models import make_public_id

SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
is_slug = RegexValidator(
    rf"\A{SLUG}\Z", "Use a-z, 0-9 and single hyphens between them, such as pdf-tables."
)

# Sort keys that are no plain column; the lists order by the very expressions that are indexed.
TITLE_WITHOUT_CASE = Collate(Lower("title"), "C")
RATING = models.DecimalField(max_digits=4, decimal_places=2, null=True)
RATING_OR_ZERO = Coalesce("rating_avg", Value(0), output_field=RATING)


def joined(column):
    """An array's elements as one text, in the immutable form that a generated column needs."""
    return Func(F(column), function="catalogue_joined", output_field=models.TextField())


class Status(models.TextChoices):
    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"
    WITHDRAWN = "withdrawn", "Withdrawn"


class EntryQuerySet(models.QuerySet):
    def published(self):
        return self.filter(status=Status.PUBLISHED)

    def by_slug(self, slug):
        """The entry with this slug; NotFound is the model's own 404."""
        # What is no slug is in no row either, and may hold what PostgreSQL refuses to read.
        if is_slug.regex.search(slug):
            try:
                return self.get(slug=slug)
            except self.model.DoesNotExist:
                pass
        raise self.model.NotFound

    def with_true_counts(self):
        """Annotate `true_<counter>` with what the counted rows say, for each of COUNTERS."""
        return self.annotate(
            **{
                f"true_{name}": total_of(self.model, relation, aggregate)
                for name, (relation, aggregate) in self.model.COUNTERS.items()
            }
        )

    def miscounted(self):
        """Entries of which a counter differs from its rows."""
        differs = Q()
        for name in self.model.COUNTERS:
            differs |= ~Q(**{name: F(f"true_{name}")})
        return self.with_true_counts().filter(differs).only("slug", *self.model.COUNTERS)

    def recount(self, entry):
        """Set the entry's counters to what its rows say."""
        with transaction.atomic():
            # Whoever is installing or reviewing waits for this lock with its count, and its rows
            # are not seen before it has counted them: nothing is counted twice or forgotten.
            self.select_for_update(no_key=True).only("pk").get(pk=entry.pk)
            true = self.with_true_counts().only("pk").get(pk=entry.pk)
            self.filter(pk=entry.pk).update(
                **{name: getattr(true, f"true_{name}") for name in self.model.COUNTERS}
            )

    def without_texts(self):
        """Leave the long columns in the database: no list shows them."""
        return self.defer("content", "search")


def total_of(model, relation, aggregate):
    """An aggregate over the rows of a reverse relation, as a subquery; 0 without rows."""
    field = model._meta.get_field(relation).field
    rows = field.model.objects.filter(**{field.name: OuterRef("pk")}).order_by()
    totals = rows.values(field.name).annotate(total=aggregate).values("total")
    return Coalesce(Subquery(totals), Value(0), output_field=models.DecimalField())


class Entry(models.Model):
    """What skills and personas share (contract 6)."""

    slug = models.CharField(max_length=100, validators=[is_slug])
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    category = models.CharField(max_length=64, blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    runtimes = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    author = models.CharField(max_length=200, blank=True)
    version = models.CharField(max_length=64, blank=True)
    license = models.CharField(max_length=300, blank=True)
    content = models.TextField()
    status = models.CharField(max_length=9, choices=Status, default=Status.DRAFT)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    # With one a withdrawal is a recall: whoever has the entry is told (Agent.advisories).
    withdrawal_reason = models.CharField(max_length=1000, blank=True, editable=False)
    source = models.TextField(
        blank=True, help_text="Where an imported entry came from; the importer finds it by this."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # An estimate of what the content costs an agent's context: characters / 4, rounded up.
    context_tokens = models.GeneratedField(
        expression=(Length("content") + 3) / 4,
        output_field=models.IntegerField(),
        db_persist=True,
    )
    search = models.GeneratedField(
        expression=SearchVector("title", "slug", weight="A", config="english")
        + SearchVector(joined("tags"), weight="B", config="english")
        + SearchVector("description", weight="C", config="english"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = EntryQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="unique_%(class)s_slug"),
            models.UniqueConstraint(fields=["public_id"], name="unique_%(class)s_public_id"),
        ]

    def __str__(self):
        return self.slug

    @property
    def is_recalled(self):
        return self.status == Status.WITHDRAWN and self.withdrawal_reason != ""

    def publish(self):
        """Serve the entry; what a recall said of it is over."""
        self._become(Status.PUBLISHED)

    def redraft(self):
        """Take the entry back from the catalogue to work on it."""
        self._become(Status.DRAFT)

    def withdraw(self, reason=""):
        """Take the entry out of the catalogue for good; a reason recalls it from its agents."""
        self._become(Status.WITHDRAWN, timezone.now(), reason)

    def _become(self, status, withdrawn_at=None, withdrawal_reason=""):
        self.status = status
        self.withdrawn_at, self.withdrawal_reason = withdrawn_at, withdrawal_reason
        # Nothing else: the counters move while this runs.
        self.save(update_fields=["status", "withdrawn_at", "withdrawal_reason", "updated_at"])


PUBLISHED = Q(status=Status.PUBLISHED)


def entry_indexes(kind):
    """Indexes for the filters and sorts that both kinds offer, over published rows only.

    Staff look among the others too. An install touches published rows alone, so that those
    indexes cost it nothing.
    """

    def index(*columns, name):
        return models.Index(*columns, name=f"{kind}_{name}", condition=PUBLISHED)

    def unpublished(column):
        return models.Index(
            F(column), F("id").desc(), name=f"{kind}_off_{column}", condition=~PUBLISHED
        )

    return [
        index(F("created_at").desc(), F("id").desc(), name="newest"),
        index(F("updated_at").desc(), F("id").desc(), name="updated"),
        index(TITLE_WITHOUT_CASE, F("id") * -1, name="name"),
        index(F("author"), F("id").desc(), name="author"),
        GinIndex(fields=["tags"], name=f"{kind}_tags", condition=PUBLISHED),
        GinIndex(fields=["runtimes"], name=f"{kind}_runtimes", condition=PUBLISHED),
        GinIndex(fields=["search"], name=f"{kind}_search", condition=PUBLISHED),
        HashIndex(fields=["source"], name=f"{kind}_source", condition=~Q(source="")),
        *(unpublished(column) for column in ("status", "category", "author")),
        GinIndex(fields=["search"], name=f"{kind}_off_search", condition=~PUBLISHED),
    ]


# What no snapshot holds: what is computed or counted, and what never changes.
NO_HISTORY = ["public_id", "created_at", "updated_at", "context_tokens", "search", "source"]


class SkillQuerySet(EntryQuerySet):
    def count_download(self, skill):
        """One more download, in the transaction that installs: its last statement.

        Raises SkillNotFound where the skill has been withdrawn since it was looked up.
        """
        if not self.published().filter(pk=skill.pk).update(downloads=F("downloads") + 1):
            raise SkillNotFound


class Skill(Entry):
    NotFound = SkillNotFound
    COUNTERS = {"downloads": ("agent_installs", Count("pk"))}

    public_id = models.CharField(
        max_length=40, default=partial(make_public_id, "skill"), editable=False
    )
    downloads = models.PositiveBigIntegerField(default=0, editable=False)

    objects = SkillQuerySet.as_manager()
    history = StaffHistory(excluded_fields=[*NO_HISTORY, "downloads"])

    class Meta(Entry.Meta):
        constraints = [
            *Entry.Meta.constraints,
            models.CheckConstraint(condition=Q(downloads__gte=0), name="downloads_not_negative"),
        ]
        indexes = [
            *entry_indexes("skill"),
            models.Index(
                F("downloads").desc(), F("id").desc(), name="skill_downloads", condition=PUBLISHED
            ),
            models.Index(
                F("category"),
                F("downloads").desc(),
                F("id").desc(),
                name="skill_category",
                condition=PUBLISHED,
            ),
        ]


class PersonaQuerySet(EntryQuerySet):
    def with_skill_slugs(self):
        """Annotate `skill_slugs`: the published skills that the persona bundles."""
        bundled = Persona.skills.through.objects.filter(
            persona=OuterRef("pk"), skill__status=Status.PUBLISHED
        )
        return self.annotate(
            skill_slugs=ArraySubquery(bundled.order_by("skill__slug").values("skill__slug"))
        )

    def count_install(self, persona):
        """One more install, in the transaction that installs: its last statement.

        False where the persona has been priced or withdrawn since it was looked up.
        """
        free = self.published().filter(pk=persona.pk, price_cents=0)
        return bool(free.update(installs=F("installs") + 1))

    def count_rating(self, persona, *, change, more=0):
        """Move the sum of ratings by `change` and their number by `more`.

        The last statement of the transaction that reviews, hides or restores.
        """
        self.filter(pk=persona.pk).update(
            rating_sum=F("rating_sum") + change, rating_count=F("rating_count") + more
        )


class Persona(Entry):
    """A persona; `content` is its prompt."""

    NotFound = PersonaNotFound
    COUNTERS = {
        "installs": ("agent_installs", Count("pk")),
        "rating_count": ("reviews", Count("pk", filter=Q(hidden_at=None))),
        "rating_sum": ("reviews", Sum("rating", filter=Q(hidden_at=None))),
    }

    public_id = models.CharField(
        max_length=40, default=partial(make_public_id, "persona"), editable=False
    )
    price_cents = models.PositiveIntegerField(
        default=0, help_text="0 is free. A persona with a price cannot be installed over the API."
    )
    skills = models.ManyToManyField(Skill, related_name="personas", blank=True)
    installs = models.PositiveBigIntegerField(default=0, editable=False)
    rating_sum = models.DecimalField(max_digits=14, decimal_places=2, default=0, editable=False)
    rating_count = models.PositiveIntegerField(default=0, editable=False)
    rating_avg = models.GeneratedField(
        expression=Round(F("rating_sum") / NullIf(F("rating_count"), Value(0)), precision=2),
        output_field=RATING,
        db_persist=True,
    )

    objects = PersonaQuerySet.as_manager()
    history = StaffHistory(
        excluded_fields=[*NO_HISTORY, "installs", "rating_sum", "rating_count", "rating_avg"],
        m2m_fields=[skills],
    )

    class Meta(Entry.Meta):
        constraints = [
            *Entry.Meta.constraints,
            models.CheckConstraint(condition=Q(price_cents__gte=0), name="price_not_negative"),
            models.CheckConstraint(condition=Q(installs__gte=0), name="installs_not_negative"),
            models.CheckConstraint(
                condition=Q(rating_count__gte=0, rating_sum__gte=0), name="ratings_not_negative"
            ),
        ]
        indexes = [
            *entry_indexes("persona"),
            models.Index(
                F("installs").desc(), F("id").desc(), name="persona_installs", condition=PUBLISHED
            ),
            models.Index(
                F("category"),
                F("installs").desc(),
                F("id").desc(),
                name="persona_category",
                condition=PUBLISHED,
            ),
            models.Index(
                RATING_OR_ZERO.desc(), F("id").desc(), name="persona_rating", condition=PUBLISHED
            ),
            models.Index(F("price_cents"), F("id") * -1, name="persona_price", condition=PUBLISHED),
        ]

    @property
    def is_free(self):
        return self.price_cents == 0

    def rating_distribution(self):
        """`{"1": n, … "5": n}`: each rating at its nearest whole number, halves up."""
        shown = self.reviews.filter(hidden_at=None)
        nearest = shown.values(nearest=Round("rating")).annotate(reviews=Count("pk"))
        counts = {int(row["nearest"]): row["reviews"] for row in nearest.order_by()}
        return {str(rating): counts.get(rating, 0) for rating in range(1, 6)}


class ImportRun(models.Model):
    """One upload to the desk: kept while its preview waits, and then for what it refused."""

    class Kind(models.TextChoices):
        SKILL = "skill", "Skills"
        PERSONA = "persona", "Personas"

    kind = models.CharField(max_length=7, choices=Kind)
    name = models.CharField("file", max_length=200)
    draft = models.BooleanField(default=False, help_text="Leave what is new as a draft.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    # The uploaded file, until it is imported or its preview is left.
    data = models.BinaryField(null=True)
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    # The first of them, as [path, reason].
    refusals = models.JSONField(default=list)

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"{self.name} of {self.created_at:%d %B %Y, %H:%M}"
