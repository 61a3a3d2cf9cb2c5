"""The model of what agents have: installing, leaving, switching, updating, and what they load."""

from tests.system import model_validation as validation
from tests.system.matchers import StartsWith, Timestamp
from tests.system.model_agents import Install, Response, error, operation

NOT_FOUND = {"skills": "Skill not found", "personas": "Persona not found"}
NOT_INSTALLED = {"skills": "Skill not installed", "personas": "Persona not installed"}


def installed(entries, slug):
    """The entry with this slug of those that an agent has, or None."""
    return next((entry for entry in entries if entry.slug == slug), None)


def named(entry):
    """How the response to a write names its entry."""
    kind = entry.kind.removesuffix("s")
    return {"message": StartsWith(), f"{kind}Id": entry.public_id, "slug": entry.slug}


class InstallRules:
    @operation("install", validation.skill_install_problem, policy="install")
    def install_skill(self, token, body):
        agent = token.agent
        skill = self.published("skills", body["slug"], held=agent.skills)
        if skill is None:
            return error(404, "Skill not found")
        if skill in agent.skills:
            return error(409, "Skill already installed")
        self.add_install(agent.skills, skill, body.get("runtime") or "")
        return Response(201, named(skill))

    @operation("install", validation.persona_install_problem, policy="install")
    def install_persona(self, token, body):
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
        self.add_install(agent.personas, persona)
        if body.get("setActive"):
            agent.active = persona
        return Response(201, {**named(persona), "isActive": bool(body.get("setActive"))})

    def add_install(self, installs, entry, runtime=""):
        installs[entry] = Install(entry.digest, Timestamp(self.interval), runtime)
        entry.installs += 1

    @operation("install", validation.slug_problem, policy="manage")
    def uninstall_skill(self, token, body):
        skill = installed(token.agent.skills, body["slug"])
        if skill is None:
            return error(404, "Skill not installed")
        del token.agent.skills[skill]
        return Response(200, named(skill))

    @operation("install", validation.slug_problem, policy="manage")
    def uninstall_persona(self, token, body):
        agent = token.agent
        persona = installed(agent.personas, body["slug"])
        if persona is None:
            return error(404, "Persona not installed")
        del agent.personas[persona]
        if agent.active is persona:
            agent.active = None
        return Response(200, named(persona))

    @operation("install", validation.slug_problem, policy="manage")
    def activate_persona(self, token, body):
        persona = installed(token.agent.personas, body["slug"])
        if persona is None:
            return error(404, "Persona not installed")
        if not persona.is_published:
            return error(404, "Persona not found")
        token.agent.active = persona
        return Response(200, {**named(persona), "isActive": True})

    @operation("install", validation.slug_problem, policy="manage")
    def deactivate_persona(self, token, body):
        agent = token.agent
        persona = installed(agent.personas, body["slug"])
        if persona is None:
            return error(404, "Persona not installed")
        if agent.active is persona:
            agent.active = None
        return Response(200, {**named(persona), "isActive": False})

    @operation("install", validation.slug_problem, policy="manage")
    def update_skill(self, token, body):
        return self.update("skills", token.agent.skills, body["slug"])

    @operation("install", validation.slug_problem, policy="manage")
    def update_persona(self, token, body):
        return self.update("personas", token.agent.personas, body["slug"])

    def update(self, kind, installs, slug):
        entry = installed(installs, slug)
        if entry is None:
            return error(404, NOT_INSTALLED[kind])
        if not entry.is_published:
            return error(404, NOT_FOUND[kind])
        install = installs[entry]
        previous, install.digest = install.digest, entry.digest
        return Response(
            200,
            {
                "message": StartsWith(),
                "slug": slug,
                "digest": entry.digest,
                "previousDigest": previous,
            },
        )

    # What an agent reads of it. The lists return their rows, or the Response that refuses them.

    @operation("read", validation.own_query_problem)
    def own_skills(self, token, _query):
        return token.agent.own("skills")

    @operation("read", validation.own_query_problem)
    def own_personas(self, token, _query):
        return token.agent.own("personas")

    @operation("read", validation.manifest_problem)
    def manifest(self, token, query):
        with_content = (query or {}).get("content") != "false"
        return Response(200, token.agent.manifest(with_content=with_content))

    @operation("read")
    def limits(self, token, _body):
        return Response(200, {"limits": token.agent.limits_left()})
