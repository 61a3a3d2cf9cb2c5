from collections import Counter
from time import monotonic

from django.db import transaction
from django.db.models import F
from tqdm import tqdm

from audit.models import AuditEvent
from catalogue.inspection import refusals
from catalogue.models import FileContent, Persona, Skill, look_alike_finding, look_alikes
from marketplace.acting import ActingCommand
from marketplace.hidden_text import visible

BATCH = 50  # entries, or versions, whose texts are read at a time


class Command(ActingCommand):
    help = (
        "Inspect every skill and persona, whatever its status, print each finding, and correct "
        "what the lists of the admin filter by. Print the hidden characters of older versions, too."
    )
    as_one = True

    def handle(self, **options):
        started, counts, entries = monotonic(), Counter(), 0
        for model in (Skill, Persona):
            with tqdm(total=model.objects.count(), unit=model.kind, disable=None) as bar:
                for batch in batches_of(model):
                    entries += len(batch)
                    for entry, findings in inspected(model, batch):
                        with transaction.atomic():
                            if entry.store_findings(findings):
                                AuditEvent.objects.record("inspect_catalogue", entry)
                        counts.update(finding.code for finding in findings)
                        for finding in findings:
                            self.write(visible(f"{model.kind} {entry}: {finding}"))
                    for version in older_versions(model, batch):
                        for reason in refusals_of(version):
                            text = f"{model.kind} {version.entry}, version {version.number}"
                            self.write(visible(f"{text}: {reason}"))
                    bar.update(len(batch))
        codes = ", ".join(f"{number:,} {code}" for code, number in counts.most_common())
        self.stdout.write(
            f"{entries:,} entries inspected in {monotonic() - started:.1f} seconds: "
            f"{codes or 'no findings'}."
        )

    def write(self, line):
        """Print a line above the progress bar."""
        with tqdm.external_write_mode():
            self.stdout.write(line)


def batches_of(model):
    rows, last = model.objects.order_by("pk"), 0
    if model is Persona:
        rows = rows.prefetch_related("skills")
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        yield batch
        last = batch[-1].pk


def inspected(model, batch):
    """Each entry of the batch with its findings."""
    published = look_alikes(model, [entry.slug for entry in batch])
    for entry in batch:
        other = published.get(entry.slug)
        like = [look_alike_finding(entry.file_name, entry.slug, other)] if other else []
        yield entry, [*entry.inspect(), *like]


def older_versions(model, batch):
    """The versions of these entries that agents may read beside the newest, with their texts."""
    kind, last = model.kind, 0
    rows = model.versions.rel.related_model.objects.readable().select_related(kind).order_by("pk")
    rows = rows.filter(**{f"{kind}__in": batch}).exclude(digest=F(f"{kind}__digest"))
    rows = rows.defer(*model.long_columns(f"{kind}__"))
    while versions := list(rows.filter(pk__gt=last)[:BATCH]):
        digests = {version.content_digest for version in versions}
        stored = FileContent.objects.in_bulk(digests, field_name="digest")
        for version in versions:
            version.content = bytes(stored[version.content_digest].data).decode()
            yield version
        last = versions[-1].pk


def refusals_of(version):
    """Why no form would take the texts of a version today."""
    file_text = version.frontmatter + version.content
    texts = {name: getattr(version, name) for name in ("title", "description", "version")}
    for name, text in (texts | {version.entry.file_name: file_text}).items():
        yield from refusals(name, text)
