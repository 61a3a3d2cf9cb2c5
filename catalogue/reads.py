"""Public reads of one entry, shared by the API, the website, Agent Skills and MCP."""

from functools import partial

from catalogue.models import FREE, Persona, Skill, Status, is_slug
from infrastructure.db.compiled_queries import InlineConstant, versioned
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import on_replica
from marketplace.rows import from_row


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
    status = InlineConstant(Status.PUBLISHED)
    return bundled.filter(personas__slug=slug, personas__status=status, personas__price_cents=FREE)


def in_detail(model, query, slug):
    read = Read.of(query, slug=slug) if is_slug(slug) else None
    if read is None or not read.value:
        raise model.NotFound
    return read._replace(value=from_row(model, read.value[0]))


@on_replica
def skill(slug):
    """A published skill in detail. Raises SkillNotFound."""
    return in_detail(Skill, skill_of_slug, slug)


@on_replica
def with_skill(slug, use):
    """Call `use` with a published skill, whose files it may read. Raises SkillNotFound."""
    return use(skill(slug).value)


@on_replica
def persona(slug):
    """A published persona, without its ratings. Raises PersonaNotFound."""
    return in_detail(Persona, persona_of_slug, slug)


@on_replica
def rated_persona(slug):
    """The same with its `ratings`."""
    read = persona(slug)
    # Outside of a read the primary would be asked. A new review changes the persona's row, too.
    read.value.ratings = read.value.rating_distribution()
    return read


@on_replica
def bundle(slug):
    """A published persona and its skills; a priced one has none. Raises PersonaNotFound."""
    bundling = persona(slug).value
    if not bundling.is_free:
        return Read((bundling, []), None)
    skills, versions = skills_of_persona.select(slug=slug)
    # Once the persona is withdrawn or priced, the check finds no rows. So a response without any
    # must never count as fresh.
    validator = Validator(partial(skills_of_persona.versions, slug=slug), versions or None)
    return Read((bundling, [from_row(Skill, row) for row in skills]), validator)
