from collections import Counter
from time import monotonic

from django.conf import settings
from django.core.management.base import BaseCommand
from tqdm import tqdm

from catalogue.inspection import Facts, inspect, inspect_texts
from catalogue.models import Persona, Skill
from marketplace.hidden_text import visible

BATCH = 50  # entries whose texts are read at a time
PUBLIC = ["title", "category", "author", "license", "deprecation_message", "withdrawal_reason"]


class Command(BaseCommand):
    help = "Inspect every skill and persona, whatever its status, and print each finding."

    def handle(self, **options):
        started, counts, entries = monotonic(), Counter(), 0
        for model in (Skill, Persona):
            rows = model.objects.order_by("pk")
            if model is Persona:
                rows = rows.prefetch_related("skills")
            rows = rows.iterator(chunk_size=BATCH)
            for entry in tqdm(rows, total=model.objects.count(), unit=model.kind, disable=None):
                entries += 1
                for finding in findings_of(entry):
                    counts[finding.code] += 1
                    self.write(visible(f"{model.kind} {entry}: {finding}"))
        codes = ", ".join(f"{number:,} {code}" for code, number in counts.most_common())
        self.stdout.write(
            f"{entries:,} entries inspected in {monotonic() - started:.1f} seconds: "
            f"{codes or 'no findings'}."
        )

    def write(self, line):
        """Print a line above the progress bar."""
        with tqdm.external_write_mode():
            self.stdout.write(line)


def findings_of(entry):
    fields = inspect_texts({name: getattr(entry, name) for name in PUBLIC})
    # A description is in the file, too, unless staff wrote another one.
    if entry.description not in entry.file_text:
        fields += inspect_texts({"description": entry.description})
    return findings_of_file(entry) + fields


def findings_of_file(entry):
    facts = Facts(
        license=entry.license,
        description=entry.description,
        licenses=settings.LICENSES,
        repairs=tuple(entry.repairs),
    )
    if isinstance(entry, Persona):
        unknown = sorted(skill.slug for skill in entry.skills.all() if not skill.is_published)
        facts = facts._replace(unknown_skills=tuple(unknown))
        return inspect(f"{entry}.md", entry.file_text, facts)
    files = {file["path"]: file for file in entry.files}
    return inspect(
        "SKILL.md",
        entry.content,
        facts,
        files=entry.files,
        read=lambda path: entry.bytes_of(files[path]),
    )
