from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.models import Agent
from catalogue.archives import SKILL_MD
from catalogue.models import Kind, Persona, Skill
from importing.zips import unzip
from marketplace.large_values import large_value, pieces_of, read_in_pieces
from marketplace.models import (
    MAX_REASON,
    Assignment,
    Note,
    RandomTextField,
    make_public_id,
    max_length,
    newest_where,
)
from submissions.exceptions import AlreadyDecided
from submissions.models.from_source import FromSource
from submissions.models.provenance import SentFromRun
from submissions.models.querysets import State, SubmissionQuerySet

MODELS = {"skill": Skill, "persona": Persona}


class Submission(FromSource, SentFromRun):
    """A text that an agent, a source or one of the staff proposes, as it came (contract 29).

    It is a snapshot: the entry's published text goes on, and staff decide about these bytes.
    """

    NO_BYTES = {"content": None, "archive": None, "files": [], "size": 0}

    public_id = RandomTextField(partial(make_public_id, "submission"), max_length=40)
    kind = models.CharField(max_length=7, choices=Kind)
    slug = models.CharField(max_length=max_length(Skill, "slug"))
    # The author: an agent, one of the staff, or a source.
    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, related_name="submissions", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    note = models.CharField(max_length=MAX_REASON, blank=True)
    # The SKILL.md or the persona's file; NULL once the bytes are gone.
    content = models.TextField(null=True)  # noqa: DJ001 (an empty text is one)
    # A skill's other files, like Skill.files, and the zip that holds them.
    files = models.JSONField(default=list)
    archive = models.BinaryField(null=True)
    size = models.PositiveIntegerField()  # bytes of all files
    # The digest of the version that publishing it makes, and that of the submitted bytes.
    digest = models.CharField(max_length=71)
    bytes_digest = models.CharField(max_length=71)
    # The newest version when it came; NULL for a new entry.
    base_number = models.PositiveIntegerField(null=True)
    base_digest = models.CharField(max_length=71, blank=True)
    findings = models.JSONField(default=list)  # `{"code", "path", "line", "text"}`
    # Whether agents may run other files than before; the desk shows it.
    changes_scripts = models.BooleanField(default=False, db_default=False)
    state = models.CharField(max_length=9, choices=State, default=State.PENDING)
    reason = models.CharField(max_length=MAX_REASON, blank=True)
    number = models.PositiveIntegerField(null=True)  # of the version that it became
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    notes, assignments = GenericRelation(Note), GenericRelation(Assignment)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index("agent", F("id").desc(), name="submission_of_agent"),
            models.Index("kind", "slug", F("id").desc(), name="submission_of_entry"),
            # The desk, oldest first.
            models.Index("id", name="submission_pending", condition=Q(state="pending")),
            models.Index("state", "id", name="submission_state"),
            GinIndex(fields=["findings"], name="submission_findings", opclasses=["jsonb_path_ops"]),
            newest_where("submission_rejected", Q(state="rejected", content__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="unique_submission_public_id"),
            models.UniqueConstraint(
                fields=["agent", "kind", "slug"],
                condition=Q(state="pending"),
                name="one_pending_submission_per_agent",
            ),
            models.UniqueConstraint(
                fields=["user", "kind", "slug"],
                condition=Q(state="pending"),
                name="one_pending_submission_per_user",
            ),
            models.UniqueConstraint(
                fields=["source", "kind", "path"],
                condition=Q(state="pending"),
                name="one_pending_submission_per_file",
            ),
            models.CheckConstraint(
                condition=~Q(state="pending") | Q(content__isnull=False),
                name="pending_submission_has_bytes",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "withdrawn", "replaced"])
                | Q(decided_at__isnull=False),
                name="decided_submission_has_time",
            ),
        ]

    def __str__(self):
        return f"{self.kind} {self.slug} by {self.author}"

    @property
    def author(self):
        """`@handle`, `git:` and the name of a source, or the name of one of the staff."""
        if self.agent is not None:
            return f"@{self.agent.handle}"
        if self.source is not None:
            return self.source.author
        return "staff" if self.user is None else str(self.user)

    @property
    def model(self):
        return MODELS[self.kind]

    @property
    def file_name(self):
        return SKILL_MD if self.kind == Kind.SKILL else f"{self.slug}.md"

    def save_with(self, proposal):
        """Save it with the files of a Proposal, in pieces."""
        if not self.files:
            self.save()
            return
        with TemporaryFile() as file:
            proposal.write_archive(file)
            file.seek(0)
            with large_value(pieces_of(file)) as self.archive:
                self.save()
        self.archive = None

    def write_archive(self, output):
        """Write the zip of a skill's folder."""
        output.writelines(read_in_pieces(Submission.objects.filter(pk=self.pk), "archive"))

    @contextmanager
    def unpacked(self):
        """The path of its file, in a temporary folder with the others."""
        with TemporaryDirectory() as name:
            root = Path(name) / self.slug
            root.mkdir()
            if self.files:
                with TemporaryFile() as file:
                    self.write_archive(file)
                    unzip(file, root)
            path = root / self.file_name
            path.write_bytes(self.content.encode())
            yield path

    # Decisions. Each of several people who decide at once waits for the first.

    def lock_pending(self):
        """Lock and reload it. Raises AlreadyDecided."""
        if self.source:
            self.source.hold()
        rows = Submission.objects.select_for_update(no_key=True, of=["self"]).defer("archive")
        self.refresh_from_db(from_queryset=rows.select_related("agent", "user", "source"))
        if self.state != State.PENDING:
            raise AlreadyDecided

    @transaction.atomic
    def withdraw(self):
        """Take it back, and delete its bytes; returns whether that changed it.

        Raises AlreadyDecided, but not the second time.
        """
        rows = Submission.objects.select_for_update(no_key=True).for_list()
        self.refresh_from_db(from_queryset=rows)
        if self.state == State.WITHDRAWN:
            return False
        if self.state != State.PENDING:
            raise AlreadyDecided
        self.forget(State.WITHDRAWN)
        return True

    @transaction.atomic
    def reject(self, reason, user=None):
        """Tell its author why it is not published. Raises AlreadyDecided."""
        self.lock_pending()
        self.decide(State.REJECTED, user, reason=reason)

    def correct_reason(self, reason):
        """Tell its author another reason why it is not published; returns whether it is another."""
        if self.reason == reason:
            return False
        self.reason = reason
        self.save(update_fields=["reason"])
        return True

    def forget(self, state):
        """End it without a decision, and delete its bytes."""
        self.state = state
        for name, value in self.NO_BYTES.items():
            setattr(self, name, value)
        self.save(update_fields=["state", *self.NO_BYTES])

    def decide(self, state, user, *, reason="", number=None):
        self.state, self.reason, self.number = state, reason, number
        self.decided_at, self.decided_by = timezone.now(), user
        self.save(update_fields=["state", "reason", "number", "decided_at", "decided_by"])
        Assignment.objects.assign(self, None)
