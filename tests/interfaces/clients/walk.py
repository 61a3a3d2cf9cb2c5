"""From registering to a review, with what openapi-python-client has made of the document."""

import sys

from generated import AuthenticatedClient, Client
from generated.api.agents import get_profile, register_agent, update_profile
from generated.api.catalogue import get_persona, get_skill, list_personas, list_skills
from generated.api.installs import install_persona, install_skill
from generated.api.reviews import submit_review
from generated.models import (
    Error,
    InstallPersona,
    InstallSkill,
    ListSkillsSort,
    Register,
    SubmitReview,
    UpdateAgent,
)

URL = sys.argv[1]
anyone = Client(base_url=URL, raise_on_unexpected_status=True)

registered = register_agent.sync(client=anyone, body=Register(name="Generated Client"))
me = AuthenticatedClient(base_url=URL, token=registered.token, raise_on_unexpected_status=True)

skills = list_skills.sync(client=anyone, q="pdf tables", sort=ListSkillsSort.RELEVANCE, tag=["pdf"])
skill = get_skill.sync(skills.results[0].slug, client=anyone)
assert (skills.count, skill.slug, skill.content) == (1, "pdf-tables", "Do it.")
missing = get_skill.sync("no-such", client=anyone)
assert missing == Error(error="Skill not found")
persona = list_personas.sync(client=anyone, free=True, min_rating=4.5, limit=1).results[0]
assert get_persona.sync(persona.slug, client=anyone).ratings.distribution.field_5 == 1

installed = install_skill.sync(client=me, body=InstallSkill(slug=skill.slug, runtime="python"))
assert installed.skill_id == skill.skill_id
active = install_persona.sync(client=me, body=InstallPersona(slug=persona.slug, set_active=True))
assert active.is_active
review = SubmitReview(persona_slug=persona.slug, rating=4.5, comment="Tidy.")
statuses = [submit_review.sync_detailed(client=me, body=review).status_code for _ in range(2)]
assert statuses == [201, 200]

update_profile.sync(client=me, body=UpdateAgent(description="Made by a machine."))
profile = get_profile.sync(client=me)
assert profile.active_persona.slug == persona.slug
assert [own.slug for own in profile.skills] == [skill.slug]
assert (profile.description, profile.counts.reviews) == ("Made by a machine.", 1)
