"""What agents have: their lists, what they load, and what they should stop using or update.

The rules are methods of InstallQuerySet (models/querysets.py). The reads put the installs of skills
and of personas together. `whose` says for which agents, as a condition on installs: `Q(agent=pk)`.
Everything is read from the primary, so that agents see their own writes.
"""

from django.db.models import BooleanField, Exists, Func, OuterRef, Q, Value

from catalogue import reads as catalogue
from catalogue.exceptions import VersionNotFound
from catalogue.models import FREE, Persona, Status
from infrastructure.db.compiled_queries import compiled
from infrastructure.db.statements import fetch_all
from installs.exceptions import PersonaRequiresPayment
from installs.manifest import Manifest
from installs.models import PersonaInstall, SkillInstall
from installs.sql import CONTEXT_TOKENS, LOADED, MANIFEST, NEWEST
from marketplace.api.lists import KeysetList

ADVISORY = ["kind", "slug", "title", "recalled_number", "withdrawal_reason", "gone_since"]
PROMPT = ["slug", "title", "description"]
UPDATE = ["kind", "slug", "version", "latest_digest", "installed_digest", "changed_at"]


class OwnInstallList(KeysetList):
    def __init__(self, model):
        self.model = model

    def get_queryset(self, agent):
        return self.model.objects.present().filter(agent_id=agent).with_entry()


class OfferedPersonaList(KeysetList):
    """The free personas that an agent does not have. Without an agent, all free ones."""

    def get_queryset(self, agent):
        own = PersonaInstall.objects.present().filter(agent_id=agent, persona=OuterRef("pk"))
        free = Persona.objects.published().filter(price_cents=FREE).only(*PROMPT)
        return free.filter(~Exists(own))

    def get_count(self, _queryset, _query):
        return Value(0)  # MCP shows none


offered_personas = OfferedPersonaList()
skills, personas = OwnInstallList(SkillInstall), OwnInstallList(PersonaInstall)


def own_prompts(agent):
    """The personas that an agent can load, with PROMPT, the active one first."""
    installs = PersonaInstall.objects.present().filter(agent=agent).loadable()
    return list(installs.order_by("-is_active", "-pk").values_list(*PROMPT, named=True))


def prompt(agent, slug):
    """The `description` and the `content` that an agent gets of a persona.

    Raises PersonaNotFound, PersonaRequiresPayment, or VersionNotFound for a recalled pin.
    """
    installs = PersonaInstall.objects.present().filter(agent=agent).with_text()
    columns = "description", "content", "has_recalled_pin"
    own = installs.filter(slug=slug, status=Status.PUBLISHED).values_list(*columns, named=True)
    install = own.first() if agent else None
    if install is None:
        return free_prompt(slug)
    if install.has_recalled_pin:
        raise VersionNotFound
    return install


def free_prompt(slug):
    persona = catalogue.persona(slug).value
    if not persona.is_free:
        raise PersonaRequiresPayment
    return persona


def manifest(agent, *, with_content=False):
    """The Manifest of an agent."""
    rows = fetch_from(loaded, MANIFEST, agent.pk, with_content)
    return Manifest(rows, with_content=with_content)


def context_tokens(agents):
    """`{agent: tokens}` of what each of these agents loads when it starts, by their keys."""
    rows = fetch_from(loaded_tokens, CONTEXT_TOKENS, list(agents))
    return {pk: int(tokens) for pk, tokens in rows}


def fetch_from(query, statement, agents, *params):
    """The rows of a statement over `loaded`, the rows of a compiled query."""
    sql = statement.format(loaded=query.compiled.sql)
    return fetch_all(sql, [*query.values({"agents": agents}), *params])


@compiled
def loaded(agents):
    return union(loaded_by(Q(agent=agents)), *LOADED, "install_id", "content", all=True)


@compiled
def loaded_tokens(agents):
    any_of = {"template": "%(expressions)s)", "arg_joiner": " = ANY("}
    whose = Func("agent", agents, **any_of, output_field=BooleanField())
    return union(loaded_by(whose), "agent_id", "context_tokens", all=True)


def loaded_by(whose):
    """What agents load when they start, as installs for a union.

    That is the active persona, the agent's own skills, and those that only the persona bundles.
    """
    skills, personas = present(whose)
    of_agent = {"agent": OuterRef("agent")}
    bundling = personas.loaded().filter(persona__skills=OuterRef("skill"), **of_agent)
    installed = skills.filter(skill=OuterRef("skill_id"), **of_agent)
    return [
        personas.loaded(),
        skills.loaded().annotate(is_bundled=Exists(bundling)),
        personas.loaded_skills().filter(~Exists(installed)),
    ]


@compiled
def advisories(agent):
    """What an agent should stop using, latest first.

    That is an entry that is no longer in the catalogue, or a version that staff recalled: its
    `recalled_number` is not null.
    """
    return union(advised(Q(agent=agent)), *ADVISORY).order_by("-gone_since", "slug")


def advised(whose):
    """Installs about which there are advisories, for a union; those for bundled skills are last."""
    skills, personas = present(whose)
    withdrawn = [skills.withdrawn(), personas.withdrawn()]
    return [
        *withdrawn,
        skills.with_recalled_text(),
        personas.with_recalled_text(),
        personas.withdrawn_skills(),
    ]


@compiled
def updates(agent):
    """Installs whose entry has another text now, latest change first; at most NEWEST."""
    parts = [installs.outdated() for installs in present(Q(agent=agent))]
    return union(parts, *UPDATE, all=True).order_by("-changed_at")[:NEWEST]


def present(whose):
    """The present installs of skills, and those of personas."""
    return [installs.objects.present().filter(whose) for installs in (SkillInstall, PersonaInstall)]


def union(parts, *columns, **options):
    first, *others = (part.order_by().values_list(*columns, named=True) for part in parts)
    return first.union(*others, **options)
