from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models, transaction
from django.db.models import Value
from django.db.models.functions import Concat, Now, Substr
from django.utils import timezone

from catalogue.models import REPOSITORY, Kind
from importing.names import normalized
from importing.reports import printable
from marketplace.models import MAX_REASON, SLUG
from sources.allowed import check_url, validate_token_variable
from sources.exceptions import Interrupted
from submissions.models.from_source import MAX_PATH
from submissions.models.submissions import MODELS

MAX_FINDINGS, MAX_LAYOUTS = 500, 50  # that are stored
# The counts of a run, in the order in which people read them.
COUNTS = [
    *("published", "proposed", "withdrawn", "unchanged", "waiting", "later", "refused", "copies"),
]
OUTCOME = [
    *("state", "reason", "commit", "synced_at", "rewritten_at", "counts", "layouts", "findings"),
]
# A run is about these. If one changes meanwhile, the run ends, and the next one begins soon.
SETTINGS = ["url", "ref", "token_variable", "kind", "folder", "review", "wait_hours"]
validate_name = RegexValidator(
    rf"\A{SLUG}\Z", "Use a-z, 0-9 and single hyphens between them, such as team-skills."
)
validate_ref = RegexValidator(
    r"\A(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|\Z)))\w[\w./@+#-]*(?<![./])\Z",
    "Write a branch or a tag, such as main.",
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
    GIT = "git", "In git: changes are published unless inspection finds something"


class SourceState(models.TextChoices):
    OK = "ok", "OK"
    FAILING = "failing"
    PAUSED = "paused"


class SavesValues(models.Model):
    class Meta:
        abstract = True

    def save_values(self, **values):
        """Set these fields, and save no others."""
        for name, value in values.items():
            setattr(self, name, value)
        self.save(update_fields=values)


class Source(SavesValues):
    """A git repository that the catalogue follows (contract 30)."""

    name = models.CharField(
        max_length=60,
        validators=[validate_name],
        help_text="Entries have it in their source: git:team-skills:pdf-tables/SKILL.md.",
    )
    url = models.CharField(
        "URL",
        max_length=500,
        help_text="Without a password. A deployer lists its host in SOURCE_HOSTS.",
    )
    ref = models.CharField(
        "branch or tag", max_length=200, default="main", validators=[validate_ref]
    )
    token_variable = models.CharField(
        max_length=100,
        blank=True,
        validators=[validate_token_variable],
        help_text="The environment variable that has the repository's token: SOURCE_TOKEN_TEAM.",
    )
    kind = models.CharField("entries", max_length=8, choices=SourceKind, default=SourceKind.SKILLS)
    folder = models.CharField(
        max_length=MAX_PATH,
        blank=True,
        validators=[validate_folder],
        help_text="Look only there, such as packages/skills. Empty: everywhere.",
    )
    review = models.CharField(max_length=4, choices=ReviewedIn, default=ReviewedIn.HERE)
    wait_hours = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(720)],
        help_text="A text is taken once the branch has had it for so long.",
    )
    every_minutes = models.PositiveSmallIntegerField(
        default=60, validators=[MinValueValidator(1), MaxValueValidator(10_080)]
    )
    # The outcome of the last run.
    state = models.CharField(
        max_length=7, choices=SourceState, default=SourceState.OK, editable=False
    )
    reason = models.CharField(max_length=MAX_REASON, blank=True, editable=False)  # if it is failing
    commit = models.CharField(max_length=40, blank=True, editable=False)
    synced_at = models.DateTimeField(null=True, editable=False)  # the last run that did not fail
    # When a run last found that somebody had rewritten the history of the ref.
    rewritten_at = models.DateTimeField(null=True, editable=False)
    counts = models.JSONField(default=dict, editable=False)  # `{"published": 3}`
    layouts = models.JSONField(default=dict, editable=False)  # `{"skills in skills/": 12}`
    findings = models.JSONField(default=list, editable=False)  # `[path, sentence]`
    # The turns of the clock process.
    soon = models.BooleanField(default=False, editable=False)  # Staff have requested a run.
    # During a run, when that began; another time ends it.
    due_at = models.DateTimeField(db_default=Now(), editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["name"], name="unique_source_name")]

    def __str__(self):
        return self.name

    def clean(self):
        self.folder = normalized(self.folder)  # as a fetch names the folders of a repository
        try:
            check_url(self.url)
        except ValidationError as error:
            raise ValidationError({"url": error.messages}) from error

    @property
    def is_allowed(self):
        try:
            check_url(self.url)
        except ValidationError:
            return False
        return True

    @property
    def is_paused(self):
        return self.state == SourceState.PAUSED

    @property
    def author(self):
        """Its name as the author of versions."""
        return f"{REPOSITORY}{self.name}"

    def entry_source(self, path):
        """The `source` of the entry that a file of the repository makes (contract 30)."""
        return f"{self.author}:{path}"

    def hold(self):
        """Lock and reload it, so that nobody renames it before the transaction ends.

        It comes before the locks of its entries and submissions.
        """
        rows = Source.objects.select_for_update(no_key=True)
        self.refresh_from_db(fields=["name", "state", "due_at", *SETTINGS], from_queryset=rows)

    def lock(self):
        """Hold it for a run. Raises Interrupted once staff have paused or changed it.

        It does so, too, if another run has begun because this process lost its turn.
        """
        settings, began_at = self.settings, self.due_at
        self.hold()
        if self.is_paused:
            raise Interrupted("Staff have paused it.")
        if self.settings != settings:
            raise Interrupted("Staff have changed it.")
        if self.due_at != began_at:
            raise Interrupted("Another run begins instead.")

    @property
    def settings(self):
        return [getattr(self, name) for name in SETTINGS]

    @transaction.atomic
    def fail(self, reason):
        """Record why a run failed. Its entries stay as they are.

        Nobody knows what its ref has meanwhile, so each text that waits begins again. Raises
        Interrupted.
        """
        self.lock()
        self.files.all().wait_anew()
        self.save_values(state=SourceState.FAILING, reason=reason[:MAX_REASON])

    @transaction.atomic
    def record(self, fetched, counts, layouts, findings, reason):
        """Record what a run found; with a reason, the source is failing. Raises Interrupted."""
        self.lock()
        now, more = timezone.now(), len(findings) - MAX_FINDINGS
        self.commit, self.synced_at = fetched.commit, self.synced_at if reason else now
        self.rewritten_at = now if fetched.rewritten else self.rewritten_at
        self.counts = {**counts, "findings": len(findings)}
        self.layouts = dict(layouts.most_common(MAX_LAYOUTS))
        if elsewhere := layouts.total() - sum(self.layouts.values()):
            self.layouts["elsewhere"] = elsewhere
        self.findings = shortened(findings[:MAX_FINDINGS])
        if more > 0:
            self.findings.append(("", f"{more:,} more."))
        self.state, self.reason = (SourceState.FAILING if reason else SourceState.OK), reason
        self.save(update_fields=OUTCOME)

    @transaction.atomic
    def change(self, **values):
        """Change what staff decide, and request a run."""
        stored = Source.objects.select_for_update().get(pk=self.pk)
        if {"url", "ref"}.intersection(values):
            values["commit"] = ""  # No commit follows one of another history.
            values["due_at"] = self.wait_anew()
        for name, value in {**values, "soon": True}.items():
            setattr(self, name, value)
        self.save(update_fields=[*values, "soon"])
        if self.name != stored.name:
            self.rename_entries(stored.author)

    def rename_entries(self, author):
        """Keep the entries that it made under its former name."""
        for kind in Kind.values:
            entries = MODELS[kind].objects
            paths = self.files.filter(kind=kind).values_list("path", flat=True)
            sources = [f"{author}:{path}" for path in paths]
            for column in ("source", "former_source"):
                renamed = Concat(Value(self.author), Substr(column, len(author) + 1))
                entries.filter(**{f"{column}__in": sources}).update(**{column: renamed})

    def pause(self):
        self.save_values(state=SourceState.PAUSED, reason="")

    def resume(self):
        self.save_values(state=SourceState.OK, soon=True, due_at=self.wait_anew())

    def wait_anew(self):
        """Begin each wait again; returns when. A run that began before knows the old times."""
        self.files.all().wait_anew()
        return timezone.now()

    def request_run(self):
        """Let the clock process sync it before it is due."""
        self.save_values(soon=True)

    @property
    def counts_in_words(self):
        """The counts of the last run, but for its findings: `1 published, 3 unchanged`; or ""."""
        counts = ((self.counts.get(name), name) for name in COUNTS)
        return ", ".join(f"{number:,} {name}" for number, name in counts if number)


def shortened(findings):
    """The start of each, because a stranger may write names and values of any length."""
    return [(printable(path)[:MAX_PATH], text[:MAX_REASON]) for path, text in findings]
