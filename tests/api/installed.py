"""The version in the response to an install (contract 9.11)."""

API = "http://testserver/api/v1"


def installed_skill_text(skill, number=1, *, name="SKILL.md"):
    version = skill.versions.get(number=number)
    url = f"{API}/skills/{skill.slug}/versions/{number}/{name}"
    return {"digest": version.digest, "number": number, "url": url}


def installed_persona_text(persona, number=1):
    version = persona.versions.get(number=number)
    url = f"{API}/personas/{persona.slug}/versions/{number}"
    return {"digest": version.digest, "number": number, "url": url}
