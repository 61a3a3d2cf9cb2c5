"""Public reads of one entry and its versions, shared by the API, the website and MCP."""

import re
from functools import partial

from django.db.models import F

from catalogue.comparisons import version_changes
from catalogue.exceptions import VersionNotFound
from catalogue.models import (
    FREE,
    MAX_NUMBER,
    PUBLISHED_STATUS,
    Persona,
    PersonaVersion,
    Skill,
    SkillVersion,
)
from catalogue.slugs import is_slug
from infrastructure.db.compiled_queries import compiled, versioned
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.lists import KeysetList
from marketplace.rows import from_row

MAX_CHOICES = 200


@versioned
def skill_of_slug(slug):
    return Skill.objects.published().with_row_version().in_detail().filter(slug=slug).order_by()


@versioned
def persona_of_slug(slug):
    return Persona.objects.published().with_row_version().in_detail().filter(slug=slug).order_by()


@versioned
def skills_of_persona(slug):
    """The published skills that a free persona bundles."""
    bundled = Skill.objects.published().with_row_version().order_by("slug")
    return bundled.filter(
        personas__slug=slug, personas__status=PUBLISHED_STATUS, personas__price_cents=FREE
    )


def fetch_entry(model, query, slug):
    read = Read.of(query, slug=slug) if is_slug(slug) else None
    if read is None or not read.value:
        raise model.NotFound
    return read._replace(value=from_row(model, read.value[0]))


@on_replica
def recalled(model, slug):
    """What people read of a recalled entry, with its `successor_slug`; or None."""
    if not is_slug(slug):
        return None
    columns = "slug", "title", "withdrawn_at", "withdrawal_reason"
    return model.objects.recalled().with_successor().only(*columns).filter(slug=slug).first()


@on_replica
def skill(slug):
    """A published skill in detail. Raises SkillNotFound."""
    return fetch_entry(Skill, skill_of_slug, slug)


@on_replica
def with_skill(slug, use):
    """Call `use` with a published skill, whose files it may read. Raises SkillNotFound."""
    return use(skill(slug).value)


@on_replica
def persona(slug):
    """A published persona, without its ratings. Raises PersonaNotFound."""
    return fetch_entry(Persona, persona_of_slug, slug)


@on_replica
def rated_persona(slug):
    """The same, with its `ratings`."""
    read = persona(slug)
    # Outside of a read, the primary would run this. A new review also changes the persona's row.
    read.value.ratings = read.value.rating_distribution()
    return read


@on_replica
def bundle(slug):
    """A published persona and its skills; a priced one has none. Raises PersonaNotFound."""
    bundling = persona(slug).value
    if not bundling.is_free:
        return Read((bundling, []), None)
    skills, versions = skills_of_persona.select(slug=slug)
    # Once the persona is withdrawn or priced, the check finds no rows. So a response without
    # rows must never count as fresh.
    validator = Validator(partial(skills_of_persona.versions, slug=slug), versions or None)
    return Read((bundling, [from_row(Skill, row) for row in skills]), validator)


class VersionReads(KeysetList):
    """The reads of the versions of one kind of entry: pages, one version, and two compared."""

    def __init__(self, model):
        self.model, self.Entry, kind = model, model.Entry, model.kind

        def published_entry(slug):
            return self.Entry.objects.published().filter(slug=slug).order_by().values_list("pk")

        def numbered(slug, number):
            versions = (
                model.objects.readable()
                .with_row_version()
                .annotate(
                    slug=F(f"{kind}__slug"),
                    **{name: F(f"{kind}__{name}") for name in model.OF_ENTRY},
                )
            )
            of_entry = {f"{kind}__slug": slug, f"{kind}__status": PUBLISHED_STATUS}
            return versions.filter(number=number, **of_entry).order_by()

        def newest(slug):
            rows = model.objects.readable().filter(**{f"{kind}__slug": slug}).order_by("-number")
            return rows.values_list("number", "version", "created_at")[:MAX_CHOICES]

        self.newest = compiled(newest)
        self.published_entry = compiled(published_entry)
        self.numbered = versioned(numbered)

    def get_queryset(self, entry):
        return self.model.objects.filter(**{f"{self.model.kind}_id": entry}).with_row_version()

    @on_replica
    def page(self, query):
        """The versions of the entry with the bound `slug`, including recalled ones."""
        slug, entry = query.bound["slug"], None
        if is_slug(slug):
            entry = Validator.of(partial(self.published_entry.first, slug=slug))
        if entry is None:
            raise self.Entry.NotFound
        return self.fetch_page(query, [entry], entry=entry.seen.pk)

    @on_replica
    def one(self, slug, number, use=lambda version: version):
        """Read `use(version)` of a version that anybody may read; `number` is a text.

        Raises the entry's NotFound or VersionNotFound.
        """
        read = None
        if is_slug(slug) and is_number(number):
            read = Read.of(self.numbered, slug=slug, number=int(number))
        if read is None or not read.value:
            if not is_slug(slug) or self.published_entry.first(slug=slug) is None:
                raise self.Entry.NotFound
            raise VersionNotFound
        version = from_row(self.model, read.value[0])
        return read._replace(value=use(version))

    @on_replica
    def recalled(self, slug, number):
        """A recalled version of a published entry, without its texts; or None.

        `number` is a text.
        """
        if not (is_slug(slug) and is_number(number)):
            return None
        kind = self.model.kind
        of_entry = {f"{kind}__slug": slug, f"{kind}__status": PUBLISHED_STATUS}
        versions = self.model.objects.exclude(recalled_at=None).filter(number=number, **of_entry)
        return versions.only("number", "title", "recalled_at", "recall_reason").first()

    @on_replica
    def choices(self, slug):
        """`number`, `version` and `created_at` of versions that anybody may compare, newest first.

        At most MAX_CHOICES.
        """
        validator = Validator.of(partial(self.newest, slug=slug))
        return Read(validator.seen, validator)

    @on_replica
    def compared(self, slug, old, new):
        """Two versions and what changed between them. Raises as `one` does.

        The prompt of a priced persona is not public (contract 8.13).
        """
        reads = [self.one(slug, number) for number in (old, new)]
        versions = [read.value for read in reads]
        changes = version_changes(*versions, with_text=versions[0].is_free)
        return Read((*versions, changes), Validator.of_all([read.validator for read in reads]))


def is_number(text):
    return bool(re.fullmatch("[1-9][0-9]{0,9}", text)) and int(text) <= MAX_NUMBER


def with_content(version):
    """The version, with its texts read from the same server."""
    version.read_texts()
    return version


skill_versions, persona_versions = VersionReads(SkillVersion), VersionReads(PersonaVersion)
