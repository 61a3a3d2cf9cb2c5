from itertools import groupby

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from audit.models import AuditEvent
from catalogue.models import PersonaVersion, Purge, SkillVersion
from marketplace.acting import ActingCommand
from marketplace.models import MAX_REASON
from marketplace.secrets import holds_token

MODELS = {model.kind: model for model in (SkillVersion, PersonaVersion)}
ELSEWHERE = (
    "The text may also be in backups, in archived write-ahead logs, in the logs of importers, and "
    "in the download folder of each server (marketplace-downloads-* in its temporary folder, which "
    "you may delete at any time)."
)


class Command(ActingCommand):
    help = (
        "Take a version's text out of the database for good, under each number that has it. "
        "You cannot undo this. To take it only from agents, recall it in the admin."
    )

    def add_arguments(self, parser):
        parser.add_argument("kind", choices=MODELS)
        parser.add_argument("slug")
        parser.add_argument("number", type=int)
        parser.add_argument("--reason", required=True, help="Every agent that has it reads this.")

    def handle(self, *, kind, slug, number, reason, **options):
        if not 0 < len(reason.strip()) <= MAX_REASON or "\0" in reason:
            raise CommandError(f"--reason must be 1 to {MAX_REASON} characters.")
        if holds_token(reason):
            raise CommandError("--reason must not hold a token.")
        versions = MODELS[kind].objects.filter(**{f"{kind}__slug": slug})
        version = versions.filter(number=number).select_related(kind).first()
        if version is None:
            raise CommandError(f"No {kind} {slug!r} has a version {number}.")
        try:
            with transaction.atomic():
                is_repeated = version.is_purged and version.recall_reason == reason
                uses = Purge.objects.purge(version, reason)
                if not is_repeated:
                    message = f"Version {number}: {reason}"
                    AuditEvent.objects.record("purge_version", version.entry, message=message)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        numbers = version.with_same_text().order_by("number").values_list("number", flat=True)
        self.stdout.write(
            f"Purged the {kind} {slug}, version {', '.join(map(str, numbers))}: {version.digest}"
        )
        self.write_uses(uses)
        self.stdout.write(ELSEWHERE)

    def write_uses(self, uses):
        if uses:
            self.stdout.write("The same bytes stay here:")
        for place, digests in groupby(uses, key=lambda use: use.place):
            self.stdout.write(f"  {place}: {', '.join(use.digest for use in digests)}")
