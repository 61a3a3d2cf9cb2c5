from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from catalogue.models import Kind
from marketplace.models import MAX_REASON, SLUG
from sources.addresses import check_address

MAX_PATH = 500  # characters of a path in a repository
validate_name = RegexValidator(
    rf"\A{SLUG}\Z", "Use a-z, 0-9 and single hyphens between them, such as team-skills."
)
validate_ref = RegexValidator(
    r"\A(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|\Z)))\w[\w./@+#-]*(?<![./])\Z",
    "Write a branch or a tag, such as main.",
)
validate_token_variable = RegexValidator(
    r"\ASOURCE_TOKEN_[A-Z0-9_]+\Z",
    "Write the name of an environment variable that begins with SOURCE_TOKEN_.",
)
validate_folder = RegexValidator(
    r"\A(?!(?:.*/)?\.{1,2}(?:/|\Z))[^/\\\x00-\x1f\x7f]+(?:/[^/\\\x00-\x1f\x7f]+)*\Z",
    "Write a folder of the repository, such as packages/skills.",
)


class SourceKind(models.TextChoices):
    SKILLS = "skills"
    PERSONAS = "personas"
    BOTH = "both", "Skills and personas"


class ReviewedIn(models.TextChoices):
    HERE = "here", "Here: staff publish or reject each change"
    GIT = "git", "In git: changes are published as they are"


class SourceState(models.TextChoices):
    OK = "ok", "OK"
    FAILING = "failing"
    PAUSED = "paused"


class Source(models.Model):
    """A git repository that the catalogue is kept in step with (contract 30)."""

    name = models.CharField(max_length=60, validators=[validate_name])
    url = models.CharField("URL", max_length=500)
    ref = models.CharField(
        "branch or tag", max_length=200, default="main", validators=[validate_ref]
    )
    kind = models.CharField("entries", max_length=8, choices=SourceKind, default=SourceKind.SKILLS)
    folder = models.CharField(max_length=MAX_PATH, blank=True, validators=[validate_folder])
    review = models.CharField(max_length=4, choices=ReviewedIn, default=ReviewedIn.HERE)
    wait_hours = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(720)])
    token_variable = models.CharField(
        max_length=100, blank=True, validators=[validate_token_variable]
    )
    every_minutes = models.PositiveSmallIntegerField(
        default=60, validators=[MinValueValidator(1), MaxValueValidator(10_080)]
    )
    # What the last run found.
    state = models.CharField(
        max_length=7, choices=SourceState, default=SourceState.OK, editable=False
    )
    reason = models.CharField(max_length=MAX_REASON, blank=True, editable=False)  # if it is failing
    commit = models.CharField(max_length=40, blank=True, editable=False)
    synced_at = models.DateTimeField(null=True, editable=False)  # the last run that did not fail
    # When the ref was last found to lead to a commit that does not follow the one before.
    rewritten_at = models.DateTimeField(null=True, editable=False)
    counts = models.JSONField(default=dict, editable=False)  # `{"published": 3}`
    layouts = models.JSONField(default=dict, editable=False)  # `{"skills/": 12}`, where files are
    findings = models.JSONField(default=list, editable=False)  # `[path, sentence]`
    # The turns of the clock process.
    soon = models.BooleanField(default=False, editable=False)  # Staff ask for a run.
    due_at = models.DateTimeField(db_default=Now(), editable=False)
    leased_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["name"], name="unique_source_name")]

    def __str__(self):
        return self.name

    def clean(self):
        try:
            check_address(self.url)
        except ValidationError as error:
            raise ValidationError({"url": error.messages}) from error

    def entry_source(self, path):
        """The `source` of the entry that a file of the repository makes (contract 30)."""
        return f"git:{self.name}:{path}"


class SourceFile(models.Model):
    """A file of a source's ref that makes an entry, and how long it has had its text.

    The row of a file that is gone stays, so that its entry is withdrawn once.
    """

    source = models.ForeignKey(
        Source, models.CASCADE, related_name="files", db_index=False, editable=False
    )
    kind = models.CharField(max_length=7, choices=Kind)
    path = models.CharField(max_length=MAX_PATH)
    # The SHA-256 over its bytes and those of the files beside it, and since when it has this one.
    bytes_digest = models.CharField(max_length=71)
    seen_at = models.DateTimeField()
    # The digest that was published or proposed, or is as published; empty until then.
    settled_digest = models.CharField(max_length=71, blank=True)
    gone_at = models.DateTimeField(null=True)
    # Whether a superuser has confirmed that its entry is withdrawn.
    is_confirmed = models.BooleanField(default=False)
    # The `withdrawn_at` of the entry that this source has withdrawn.
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["path"]
        constraints = [
            models.UniqueConstraint(fields=["source", "kind", "path"], name="unique_source_file"),
            models.CheckConstraint(
                condition=Q(is_confirmed=False) | Q(gone_at__isnull=False),
                name="only_gone_files_are_confirmed",
            ),
        ]

    def __str__(self):
        return f"{self.source}: {self.path}"
