"""The marketplace in memory, as the specification and the contract describe it.

It imports nothing of the product. Each operation takes the contents of a request, changes the model
if the request succeeds, and returns the Response to expect. Counters are counted from the rows.
"""

import re
from decimal import Decimal

from tests.system import model_validation as validation
from tests.system.matchers import Interval, Opaque, StartsWith, Timestamp
from tests.system.model_agents import SCOPES, Agent, Response, Token, error, refusal
from tests.system.model_catalogue import (
    Entry,
    edits,
    list_query,
    number,
    published,
    query_problem,
    two_decimals,
)

NOT_FOUND = {"skills": "Skill not found", "personas": "Persona not found"}


class Model:
    def __init__(self, base_url):
        self.base_url = base_url
        self.agents, self.entries, self.seen = [], {"skills": [], "personas": []}, set()
        self.interval = Interval()

    def opaque(self, kind):
        return Opaque(rf"{kind}_[0-9A-Za-z]+", self.seen)

    @property
    def tokens(self):
        return [token for agent in self.agents for token in agent.tokens]

    # What anyone may do

    def register(self, _token, body):
        body = body or {}
        if problem := validation.registration_problem(body):
            return error(400, problem)
        handle, name = body.get("handle"), body.get("name") or ""
        if handle in self.handles:
            return error(409, "Handle already taken")
        url = Opaque(rf"{re.escape(self.base_url)}/claim/[0-9A-Za-z]{{20,}}", self.seen)
        agent = Agent(
            self.opaque("agent"),
            handle or self.handle_for(name),
            {key: body.get(key) or "" for key in ("name", "description", "runtime")},
            {"status": "unclaimed", "claimUrl": url, "operator": None, "claimedAt": None},
            created=Timestamp(self.interval),
            updated=Timestamp(self.interval),
        )
        token = self.issue(agent, Opaque(r"mkt_agent_[0-9A-Za-z]{38,}", self.seen), SCOPES)
        self.agents.append(agent)
        return Response(
            201,
            {
                "message": StartsWith(),
                "agentId": agent.agent_id,
                "handle": agent.handle,
                **agent.profile,
                "token": token.text,
                "tokenType": "Bearer",
                "scopes": SCOPES,
                "tokenExpiresAt": None,
                "claim": agent.claim,
                "createdAt": agent.created,
            },
        )

    @property
    def handles(self):
        return {str(agent.handle) for agent in self.agents}

    def handle_for(self, name):
        """The name as a handle, with a random suffix where that is taken."""
        stem = "-".join(re.findall("[a-z0-9]+", name.lower()))
        if len(stem) >= 3 and stem not in validation.RESERVED | self.handles:
            return stem
        return Opaque(rf"{stem}-[a-z0-9]+" if stem else validation.HANDLE)

    def detail(self, kind, slug):
        entry = self.published(kind, slug)
        return error(404, NOT_FOUND[kind]) if entry is None else Response(200, entry.detail())

    def list_query(self, kind, query):
        """The rows that a query asks for, or the Response that refuses it."""
        if problem := query_problem(kind, query):
            return error(400, problem)
        return [entry.listed() for entry in list_query(kind, self.entries[kind], query)]

    def published(self, kind, slug, *, held=()):
        """The published entry with this slug, or one that the agent holds whatever its status."""
        known = [*published(self.entries[kind]), *held]
        return next((entry for entry in known if entry.slug == slug), None)

    # What agents may do

    def me(self, token, _body=None):
        if refused := refusal(token, "read"):
            return refused
        return Response(200, token.agent.shown(token))

    def update_me(self, token, body):
        if refused := refusal(token, "read"):
            return refused
        if problem := validation.update_problem(body):
            return error(400, problem)
        agent = token.agent
        given = {key: body[key] for key in agent.profile if body.get(key) is not None}
        if given.items() - agent.profile.items():
            agent.updated = Timestamp(self.interval)
        elif given:
            self.may_have_moved(agent)
        agent.profile |= given
        return self.me(token)

    def install_skill(self, token, body):
        if refused := refusal(token, "install"):
            return refused
        if problem := validation.skill_install_problem(body):
            return error(400, problem)
        agent = token.agent
        skill = self.published("skills", body["slug"], held=agent.skills)
        if skill is None:
            return error(404, "Skill not found")
        if skill in agent.skills:
            return error(409, "Skill already installed")
        agent.skills[skill] = (body.get("runtime") or "", Timestamp(self.interval))
        skill.installed_by.append(agent)
        return Response(
            201, {"message": StartsWith(), "skillId": skill.public_id, "slug": skill.slug}
        )

    def install_persona(self, token, body):
        if refused := refusal(token, "install"):
            return refused
        if problem := validation.persona_install_problem(body):
            return error(400, problem)
        agent = token.agent
        persona = self.published("personas", body["slug"], held=agent.personas)
        if persona is None:
            return error(404, "Persona not found")
        if persona in agent.personas:
            return error(409, "Persona already installed")
        if persona.price_cents:
            return error(
                402,
                "This persona requires payment. Agent API currently supports free personas only.",
            )
        agent.personas[persona] = Timestamp(self.interval)
        persona.installed_by.append(agent)
        if body.get("setActive"):
            agent.active = persona
        return Response(
            201,
            {
                "message": StartsWith(),
                "personaId": persona.public_id,
                "slug": persona.slug,
                "isActive": bool(body.get("setActive")),
            },
        )

    def review(self, token, body):
        if refused := refusal(token, "review"):
            return refused
        if problem := validation.review_problem(body):
            return error(400, problem)
        persona, agent = self.published("personas", body["personaSlug"]), token.agent
        if persona is None:
            return error(404, "Persona not found")
        if persona not in agent.personas:
            return error(400, "You must install this persona before reviewing it")
        is_new = persona not in agent.reviews
        if is_new:
            agent.reviews[persona] = (self.opaque("review"), Timestamp(self.interval))
        review_id, created = agent.reviews[persona]
        rating = two_decimals(Decimal(str(body["rating"])))
        persona.ratings[agent] = rating
        return Response(
            201 if is_new else 200,
            {
                "message": StartsWith(),
                "reviewId": review_id,
                "personaSlug": persona.slug,
                "rating": number(rating),
                "comment": body.get("comment") or "",
                "createdAt": created,
                "updatedAt": Timestamp(self.interval),
            },
        )

    # What staff do

    def issue(self, agent, text, scopes):
        token = Token(text, agent, scopes)
        agent.tokens.append(token)
        return token

    def suspend(self, agent, *, suspended):
        agent.is_suspended = suspended
        self.may_have_moved(agent)

    def may_have_moved(self, agent):
        """The contract leaves open whether this updates the profile."""
        agent.updated = Timestamp(self.interval, earliest=agent.updated.earliest)

    def add(self, kind, fields, content, status, *, price=0, bundle=()):
        entry = Entry(
            kind,
            self.opaque(kind.removesuffix("s")),
            fields,
            content,
            status,
            created=Timestamp(self.interval),
            updated=Timestamp(self.interval),
            price_cents=price,
            bundle=list(bundle),
        )
        for skill in bundle:
            skill.bundled_in.append(entry)
        self.entries[kind].append(entry)
        return entry

    def edit(self, entry, name, value):
        setattr(entry, name, value)
        entry.edited, entry.updated = next(edits), Timestamp(self.interval)
