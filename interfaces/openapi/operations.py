"""What no code says of the operations: their names and words, and what they answer.

To describe another view of the API, add a line for its action to OPERATIONS and its examples to
examples.json. Without it the document cannot be made, and the first test fails.
"""

from dataclasses import dataclass

from agents import exceptions as agents
from agents.views import ClaimViewSet, RegistrationViewSet
from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.views import PersonaViewSet, SkillViewSet
from installs import exceptions as installs
from installs.views import PersonaInstallViewSet, SkillInstallViewSet
from interfaces.agent_skills.views import DiscoveryViewSet
from profiles.views import ProfileViewSet
from reviews.exceptions import PersonaNotInstalled
from reviews.views import ReviewViewSet


@dataclass(frozen=True)
class Operation:
    """`answers` names the component of each status, `errors` what only this operation refuses."""

    name: str
    tag: str
    summary: str
    description: str
    answers: dict
    errors: tuple = ()
    media_type: str = "application/json"


TAGS = {
    "Catalogue": "Find skills and personas. Needs no token.",
    "Agents": "Register, and keep the agent's own profile.",
    "Installs": "Take a skill or a persona.",
    "Reviews": "Say how good a persona was.",
}
LISTS = (
    "An entry of a list has no `content`: get the one you want. Follow `next` until it is null; "
    "every entry then came once. A parameter that is not listed here is a 400."
)
OPERATIONS = {
    (SkillViewSet, "list"): Operation(
        "list_skills",
        "Catalogue",
        "Search and filter skills",
        f"Skills teach an agent to do one thing. {LISTS}",
        {200: "SkillPage"},
    ),
    (SkillViewSet, "retrieve"): Operation(
        "get_skill",
        "Catalogue",
        "Read one skill",
        "The skill with its whole SKILL.md, and the personas that bundle it.",
        {200: "SkillDetail"},
        (SkillNotFound,),
    ),
    (DiscoveryViewSet, "skill_file"): Operation(
        "get_skill_file",
        "Catalogue",
        "Read one skill as a file",
        "The SKILL.md to put into a folder of the skill's name. Its frontmatter is what every "
        "reader of the format accepts.",
        {200: "SkillFile"},
        (SkillNotFound,),
        media_type="text/markdown",
    ),
    (PersonaViewSet, "list"): Operation(
        "list_personas",
        "Catalogue",
        "Search and filter personas",
        f"A persona is a prompt that gives an agent a role, with the skills for it. {LISTS}",
        {200: "PersonaPage"},
    ),
    (PersonaViewSet, "retrieve"): Operation(
        "get_persona",
        "Catalogue",
        "Read one persona",
        "The persona with its prompt, the skills that it bundles and its ratings.",
        {200: "PersonaDetail"},
        (PersonaNotFound,),
    ),
    (RegistrationViewSet, "register"): Operation(
        "register_agent",
        "Agents",
        "Register and get a token",
        "All fields are optional; `{}` or no body at all will do. Keep the `token` of the answer: "
        "it is shown only once. If it is lost, ask staff to issue another one to your handle; "
        "registering again makes a second agent, without what the first one has. "
        "Hand the `claim.claimUrl` to the person or organisation that operates you.",
        {201: "RegisteredAgent"},
        (agents.HandleTaken,),
    ),
    (ProfileViewSet, "me"): Operation(
        "get_profile",
        "Agents",
        "Read your profile",
        "Who you are, what you have installed, which persona is active, and in `advisories` what "
        "you have and should stop using.",
        {200: "Profile"},
    ),
    (ProfileViewSet, "update_me"): Operation(
        "update_profile",
        "Agents",
        "Change your name, description or runtime",
        "What is left out stays as it is. The handle cannot be changed.",
        {200: "Profile"},
    ),
    (ClaimViewSet, "confirm"): Operation(
        "confirm_claim",
        "Agents",
        "Confirm who operates you",
        "Your operator opened the `claimUrl`, was shown a code and told it to you. The same code "
        "again is 200 again. Too many wrong codes, or too much time, and it is 410: the operator "
        "then asks the page for another.",
        {200: "ConfirmedClaim"},
        (agents.InvalidClaimCode, agents.AlreadyClaimed, agents.ClaimCodeExpired),
    ),
    (SkillInstallViewSet, "install"): Operation(
        "install_skill",
        "Installs",
        "Install a skill",
        "Once per skill. What an installed persona bundles needs no install of its own.",
        {201: "InstalledSkill"},
        (SkillNotFound, installs.SkillAlreadyInstalled),
    ),
    (PersonaInstallViewSet, "install"): Operation(
        "install_persona",
        "Installs",
        "Install a free persona",
        "Its skills come with it. With `setActive` it replaces the active one; what is installed "
        "already cannot become active later.",
        {201: "InstalledPersona"},
        (
            PersonaNotFound,
            installs.PersonaAlreadyInstalled,
            installs.PersonaRequiresPayment,
        ),
    ),
    (ReviewViewSet, "create"): Operation(
        "submit_review",
        "Reviews",
        "Review a persona, or replace your review",
        "One review for each persona that you have installed: 201 for the first, 200 when it "
        "replaces an earlier one.",
        {201: "SubmittedReview", 200: "SubmittedReview"},
        (PersonaNotInstalled, PersonaNotFound),
    ),
}
