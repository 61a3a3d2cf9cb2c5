import json
from functools import partial
from io import BytesIO
from itertools import chain, islice
from tempfile import TemporaryFile

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Case, Count, Func, OuterRef, Value, When
from django.db.models.functions import JSONObject, Left

from catalogue.archives import write_zip, zip_size
from catalogue.exceptions import FileNotFound, SkillNotFound
from catalogue.frontmatter import MAX_FRONTMATTER, as_written
from catalogue.models.entries import NO_HISTORY, Entry
from catalogue.models.files import FileContent, digest_of
from catalogue.models.indexes import entry_indexes
from catalogue.models.querysets import EntryQuerySet
from catalogue.skill_md import repaired
from marketplace.adminsite.history import StaffHistory
from marketplace.large_values import PIECE
from marketplace.models import MigratedAsDjangos, RandomTextField, make_public_id

MAX_HEAD = 8 * MAX_FRONTMATTER  # characters: a repair may write escape sequences
# The text of a skill's SKILL.md.
FILE_TEXT = Case(
    When(skill_md="", then="content"), default="skill_md", output_field=models.TextField()
)


class HasScripts(Func):
    """Whether the skill has files that an agent may run."""

    template = (
        "%(expressions)s @? "
        """'$[*] ? (@.is_executable == true || @.path starts with "scripts/")'"""
    )
    output_field = models.BooleanField()
    is_of_row = True  # no validator needs to read the files again


class SkillQuerySet(EntryQuerySet):
    def bulk_create(self, skills, **options):
        """Read the files of all skills together for their archives."""
        skills = list(skills)
        contents = FileContent.objects.read(chain.from_iterable(skill.files for skill in skills))
        for skill in skills:
            skill.contents = islice(contents, len(skill.files))
        try:
            return super().bulk_create(skills, **options)
        finally:
            for skill in skills:
                skill.contents = None

    def for_list(self):
        return super().for_list().defer("archive_digest").annotate(has_scripts=HasScripts("files"))

    def with_head(self):
        """Annotate the start of each SKILL.md, with its frontmatter, and its size and digest.

        The text is deferred.
        """
        data = Func(FILE_TEXT, Value("UTF8"), function="convert_to")
        return self.only("slug", "files").annotate(
            head=Left(FILE_TEXT, MAX_HEAD),
            size=Func(data, function="octet_length", output_field=models.IntegerField()),
            skill_md_digest=Func(
                FILE_TEXT, function="catalogue_digest", output_field=models.TextField()
            ),
        )

    def in_detail(self):
        """Annotate `bundling`: slug and title of the published personas that bundle the skill."""
        personas = self.model.personas.rel.related_model.objects.published()
        personas = personas.filter(skills=OuterRef("pk")).order_by("slug")
        return self.with_successor().annotate(
            has_scripts=HasScripts("files"),
            bundling=ArraySubquery(personas.values(persona=JSONObject(slug="slug", title="title"))),
        )


class WrittenSkillMdField(MigratedAsDjangos, models.TextField):
    """The served SKILL.md; empty if the content itself is served.

    It is stored, so that a release that writes frontmatter differently does not update any skill
    (contract 16.3).
    """

    def pre_save(self, skill, add):
        text = skill.written_file_text
        skill.skill_md = "" if text == skill.content else text
        return skill.skill_md


class ArchiveDigestField(MigratedAsDjangos, models.CharField):
    """The digest of the skill's archive; empty if the skill has only a SKILL.md.

    It is stored, because an index of skills shows it without reading the files.
    """

    def pre_save(self, skill, add):
        skill.archive_digest = ""
        if skill.files:
            is_large = skill.archive_size > PIECE
            with TemporaryFile() if is_large else BytesIO() as archive:
                skill.write_archive(archive)
                archive.seek(0)
                skill.archive_digest = digest_of(archive)
        return skill.archive_digest


class SkillFolder:
    """A folder with a SKILL.md, its `file_text`, and its other `files`."""

    # Its files with their pieces, as of `FileContent.objects.read`, while many skills are created.
    contents = None

    def written_sources(self, text):
        return [as_written(text), json.dumps(self.files)]

    def file_at(self, path):
        """Raises FileNotFound."""
        matches = [file for file in self.files if file["path"] == path]
        if not matches:
            raise FileNotFound
        return matches[0]

    def bytes_of(self, file):
        return FileContent.objects.of([file])[file["digest"]]

    def shown_text(self, file):
        """The text of a file, or None if a page may not show it: it is binary or too large."""
        is_shown = file["is_text"] and file["size"] <= PIECE
        return self.bytes_of(file).decode() if is_shown else None

    def write_file(self, file, output):
        for _, pieces in FileContent.objects.read([file]):
            output.writelines(pieces)

    def write_archive(self, file):
        """Write its folder as a zip. importing/folders.py limits the size."""
        contents = FileContent.objects.read(self.files) if self.contents is None else self.contents
        write_zip(file, self.file_text, contents)

    @property
    def archive_size(self):
        return zip_size(self.file_text, self.files)


class Skill(SkillFolder, Entry):
    kind = "skill"
    LONG_COLUMNS = [*Entry.LONG_COLUMNS, "skill_md", "files"]
    NotFound = SkillNotFound
    POPULARITY = "downloads"  # the counter that raises it in searches
    COUNTERS = {"downloads": ("agent_installs", Count("pk"))}

    public_id = RandomTextField(partial(make_public_id, "skill"), max_length=40)
    skill_md = WrittenSkillMdField(blank=True, editable=False, default="", db_default="")
    # The files of its folder except SKILL.md, sorted by the bytes of the path: `{"path", "size",
    # "digest", "is_text", "is_executable"}`. FileContent has the bytes.
    files = models.JSONField(default=list, db_default=[], editable=False)
    archive_digest = ArchiveDigestField(
        max_length=71, blank=True, editable=False, default="", db_default=""
    )
    DIGEST = "catalogue_digest(%s, %s::jsonb)"  # in SQL, of `digest_sources`
    SERVED = {"slug", "title", "description", "content", "files"}
    DERIVED = {
        "findings": Entry.DERIVED["findings"] | SERVED,
        "skill_md": SERVED,
        "archive_digest": SERVED,
    }
    file_name = "SKILL.md"
    downloads = models.PositiveBigIntegerField(default=0, editable=False)
    # The SKILL.md of a version that is being restored, whatever the fields say now.
    restored_text = None
    _repaired = None

    objects = SkillQuerySet.as_manager()
    history = StaffHistory(excluded_fields=[*NO_HISTORY, "skill_md", "archive_digest", "downloads"])

    class Meta(Entry.Meta):
        indexes = entry_indexes("skill", "downloads")

    @property
    def written_file_text(self):
        """The text of the SKILL.md that a save stores."""
        return self.restored_text or self.repaired.text

    @property
    def repaired(self):
        """Its content as agents can read it, and the names of the repairs."""
        sources = self.content, self.slug, self.title, self.description
        if self._repaired is None or self._repaired[0] != sources:
            self._repaired = sources, repaired(self)
        return self._repaired[1]

    @property
    def repairs(self):
        """The names of the repairs that agents get (contract 22.13)."""
        return self.repaired.repairs

    @property
    def is_outdated(self):
        """Whether an older release repaired it in another way."""
        return bool(self.skill_md) and self.skill_md != self.repaired.text

    @property
    def written_text(self):
        return self.content

    def folder(self, paths):
        def is_read(path):
            return paths is None or path in paths

        files = [file for file in self.files if is_read(file["path"])]
        contents = FileContent.objects.read(files)  # in this order
        return {
            "files": self.files,
            "read": lambda path: b"".join(next(contents)[1]) if is_read(path) else None,
        }

    def digest_sources(self):
        return [self.written_file_text, json.dumps(self.files)]

    @property
    def file_text(self):
        """The text of its SKILL.md."""
        return self.skill_md or self.content
