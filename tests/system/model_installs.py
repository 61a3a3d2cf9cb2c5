"""The model of installs: installing, uninstalling, switching, updating, and the manifest."""

from tests.system.matchers import StartsWith, Timestamp
from tests.system.model_agents import Install, Reply, error, operation

NOT_FOUND = {"skills": "Skill not found", "personas": "Persona not found"}
NO_VERSION = error(404, "Version not found")
NOT_INSTALLED = {"skills": "Skill not installed", "personas": "Persona not installed"}


def installed(entries, slug):
    """The agent's entry with this slug, or None."""
    return next((entry for entry in entries if entry.slug == slug), None)


def named(entry):
    """The fields of a write's response that name its entry."""
    kind = entry.kind.removesuffix("s")
    return {"message": StartsWith(), f"{kind}Id": entry.public_id, "slug": entry.slug}


class InstallRules:
    @operation("install", policy="install")
    def install_skill(self, token, body):
        agent = token.agent
        skill = self.published("skills", body["slug"], held=agent.skills)
        if skill is None:
            return error(404, "Skill not found")
        if skill in agent.skills:
            return error(409, "Skill already installed")
        version = self.chosen(skill, body)
        if version is None:
            return NO_VERSION
        self.add_install(agent.skills, skill, version, body)
        return Reply(201, {**named(skill), **self.given(skill, version)})

    @operation("install", policy="install")
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
        version = self.chosen(persona, body)
        if version is None:
            return NO_VERSION
        self.add_install(agent.personas, persona, version, body)
        if body.get("setActive"):
            agent.active = persona
        is_active = bool(body.get("setActive"))
        given = self.given(persona, version)
        return Reply(201, {**named(persona), "isActive": is_active, **given})

    def given(self, entry, version):
        """The fields of an install's response that name the version."""
        url = f"{self.base_url}/api/v1/{entry.kind}/{entry.slug}/versions/{version.number}"
        return {"digest": version.digest, "number": version.number, "url": StartsWith(url)}

    def chosen(self, entry, body):
        """The version that a request names, or the newest; None if there is no such version."""
        return entry.numbered(body.get("version") or len(entry.versions))

    def add_install(self, installs, entry, version, body):
        pinned = version if body.get("version") else None
        runtime, at = body.get("runtime") or "", Timestamp(self.interval)
        installs[entry] = Install(version.digest, at, runtime, version.number, pinned)
        entry.installs += 1

    @operation("install", policy="manage")
    def uninstall_skill(self, token, body):
        skill = installed(token.agent.skills, body["slug"])
        if skill is None:
            return error(404, "Skill not installed")
        del token.agent.skills[skill]
        return Reply(200, named(skill))

    @operation("install", policy="manage")
    def uninstall_persona(self, token, body):
        agent = token.agent
        persona = installed(agent.personas, body["slug"])
        if persona is None:
            return error(404, "Persona not installed")
        del agent.personas[persona]
        if agent.active is persona:
            agent.active = None
        return Reply(200, named(persona))

    @operation("install", policy="manage")
    def activate_persona(self, token, body):
        persona = installed(token.agent.personas, body["slug"])
        if persona is None:
            return error(404, "Persona not installed")
        if not persona.is_published:
            return error(404, "Persona not found")
        token.agent.active = persona
        return Reply(200, {**named(persona), "isActive": True})

    @operation("install", policy="manage")
    def deactivate_persona(self, token, body):
        agent = token.agent
        persona = installed(agent.personas, body["slug"])
        if persona is None:
            return error(404, "Persona not installed")
        if agent.active is persona:
            agent.active = None
        return Reply(200, {**named(persona), "isActive": False})

    @operation("install", policy="manage")
    def update_skill(self, token, body):
        return self.of_published("skills", token.agent.skills, body, self.update)

    @operation("install", policy="manage")
    def update_persona(self, token, body):
        return self.of_published("personas", token.agent.personas, body, self.update)

    @operation("install", policy="manage")
    def pin_skill(self, token, body):
        return self.of_published("skills", token.agent.skills, body, self.pin)

    @operation("install", policy="manage")
    def pin_persona(self, token, body):
        return self.of_published("personas", token.agent.personas, body, self.pin)

    @operation("install", policy="manage")
    def unpin_skill(self, token, body):
        return self.of_published("skills", token.agent.skills, body, self.unpin)

    @operation("install", policy="manage")
    def unpin_persona(self, token, body):
        return self.of_published("personas", token.agent.personas, body, self.unpin)

    def of_published(self, kind, installs, body, write):
        entry = installed(installs, body["slug"])
        if entry is None:
            return error(404, NOT_INSTALLED[kind])
        if not entry.is_published:
            return error(404, NOT_FOUND[kind])
        return write(entry, installs[entry], body)

    def update(self, entry, install, body):
        version, previous = self.chosen(entry, body), install.digest
        if version is None:
            return NO_VERSION
        is_pinned = body.get("version") or install.pinned
        install.digest, install.number = version.digest, version.number
        install.pinned = version if is_pinned else None
        digests = {"digest": version.digest, "previousDigest": previous}
        return Reply(200, {"message": StartsWith(), "slug": entry.slug, **digests})

    def pin(self, entry, install, body):
        version = self.chosen(entry, body) if body.get("version") else entry.used(install)
        if version is None:
            return NO_VERSION
        install.digest, install.number, install.pinned = version.digest, version.number, version
        fields = {"number": version.number, "digest": version.digest}
        return Reply(200, {"message": StartsWith(), "slug": entry.slug, **fields})

    def unpin(self, entry, install, _body):
        install.pinned = None
        return Reply(200, {"message": StartsWith(), "slug": entry.slug})

    # What an agent reads of its installs. The lists return their rows, or a Reply that refuses.

    @operation("read")
    def own_skills(self, token, _query):
        return token.agent.own("skills")

    @operation("read")
    def own_personas(self, token, _query):
        return token.agent.own("personas")

    @operation("read")
    def manifest(self, token, query):
        with_content = (query or {}).get("content") != "false"
        return Reply(200, token.agent.manifest(with_content=with_content))

    @operation("read")
    def limits(self, token, _body):
        return Reply(200, {"limits": token.agent.limits_left()})
