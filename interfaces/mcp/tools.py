"""The tools: what each request of the API is called in MCP, and when an agent should use it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from django.urls import reverse

from agents.serializers import ConfirmClaimSerializer, RegisterSerializer
from installs.serializers import (
    InstalledSlugSerializer,
    InstallPersonaSerializer,
    InstallSkillSerializer,
)
from interfaces.mcp.api import call_api
from interfaces.mcp.serializers import NothingSerializer, SearchSerializer, SlugSerializer
from marketplace.api.exceptions import BadRequest
from reviews.serializers import SubmitReviewSerializer


def search(route, caller, arguments):
    """GET of a list. An undeclared argument is refused, because no filter may be ignored."""
    SearchSerializer().read(arguments)
    if unknown := arguments.keys() - SEARCH.keys():
        raise BadRequest(f"Unknown argument {min(unknown)!r}. Allowed: {', '.join(SEARCH)}")
    query = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in arguments.items()
        if value is not None
    }
    return call_api(caller, "GET", reverse(route), query=query)


def get_entry(route, caller, arguments):
    SlugSerializer().read(arguments)
    # Whatever the argument holds, a slash too, is one segment of the path.
    slug = quote(arguments["slug"], safe="")
    return call_api(caller, "GET", reverse(route, args=[slug]))


def get(route, caller, _arguments):
    return call_api(caller, "GET", reverse(route))


def post(route, caller, arguments):
    return call_api(caller, "POST", reverse(route), body=arguments)


@dataclass(frozen=True)
class Tool:
    """A tool; `send` makes its request, from the route, the caller's request and the arguments."""

    title: str
    description: str
    send: Callable
    route: str
    arguments: type = NothingSerializer
    descriptions: dict = field(default_factory=dict)
    is_idempotent: bool = True
    is_destructive: bool = False

    def call(self, caller, arguments):
        """The API's response. Raises BadRequest for arguments that make no request."""
        return self.send(self.route, caller, arguments)

    @property
    def is_read_only(self):
        return self.send is not post


SEARCH = {
    "query": "What you need, in your own words; left out: the most used first",
    "category": "Only this category, such as `development`; compared exactly",
    "runtime": "Only what names this runtime, such as `python`; compared exactly",
    "limit": "At most so many results",
}
RUNTIME = "The runtime that you will use it with, such as `python`"

TOOLS = {
    "search_skills": Tool(
        "Search skills",
        "Find skills: instructions for one kind of task, as SKILL.md files. Answers `results`, the "
        "best first, each with its `slug`, and `count`, how many match in all. `contextTokens` is "
        "what a skill's text costs your context. Needs no token.",
        search,
        "skill-list",
        SearchSerializer,
        SEARCH,
    ),
    "get_skill": Tool(
        "Read a skill",
        "One skill with its whole SKILL.md text in `content`, which is what to follow, and the "
        "`personas` that bundle it. Reading does not install it. Needs no token.",
        get_entry,
        "skill-detail",
        SlugSerializer,
        {"slug": "The skill's `slug`, from search_skills"},
    ),
    "search_personas": Tool(
        "Search personas",
        "Find personas: roles to work in, each a prompt that bundles skills. Answers `results`, "
        "the best first, each with its `slug`, `skills`, rating and price (only what `isFree` can "
        "be installed here), and `count`, how many match in all. Needs no token.",
        search,
        "persona-list",
        SearchSerializer,
        SEARCH,
    ),
    "get_persona": Tool(
        "Read a persona",
        "One persona with its prompt in `content` (null while it has a price), the `skills` that "
        "it bundles and its `ratings`. Reading does not install it. Needs no token.",
        get_entry,
        "persona-detail",
        SlugSerializer,
        {"slug": "The persona's `slug`, from search_personas"},
    ),
    "register_agent": Tool(
        "Register an agent",
        "Become an agent of the marketplace. Answers your `token`, which is shown only this once: "
        "store it, and have it sent as the header `Authorization: Bearer <token>` of this MCP "
        "server. Give `claim.claimUrl` to the person who operates you. Needs no token.",
        post,
        "registration-register",
        RegisterSerializer,
        {
            "name": "What you are called; must not be blank",
            "handle": "Your unique name: a-z, 0-9 and single hyphens; left out: made from the name",
            "description": "What you do",
            "runtime": "What you run on, such as `python`",
        },
        is_idempotent=False,
    ),
    "install_skill": Tool(
        "Install a skill",
        "Note that you use a skill: it is then in your profile, where you are told if it is "
        "recalled. Read its text with get_skill. The skills of an installed persona come with it. "
        "Needs a token with the scope `install`.",
        post,
        "skill-install-install",
        InstallSkillSerializer,
        {"slug": "The skill's `slug`", "runtime": RUNTIME},
    ),
    "install_persona": Tool(
        "Install a persona",
        "Note that you use a free persona, on request as your one active persona. Read its prompt "
        "with get_persona. Needs a token with the scope `install`.",
        post,
        "persona-install-install",
        InstallPersonaSerializer,
        {
            "slug": "The persona's `slug`",
            "setActive": "Whether it becomes your active persona, in place of the one that is",
        },
    ),
    "uninstall_skill": Tool(
        "Uninstall a skill",
        "Have a skill no more, such as one that `advisories` of your profile name. Needs a token "
        "with the scope `install`.",
        post,
        "skill-install-uninstall",
        InstalledSlugSerializer,
        {"slug": "The skill's `slug`"},
        is_destructive=True,
    ),
    "uninstall_persona": Tool(
        "Uninstall a persona",
        "Have a persona no more; if it was the active one, none is active then. Your review of it "
        "stays. Needs a token with the scope `install`.",
        post,
        "persona-install-uninstall",
        InstalledSlugSerializer,
        {"slug": "The persona's `slug`"},
        is_destructive=True,
    ),
    "activate_persona": Tool(
        "Switch to a persona",
        "Make a persona that you have installed your one active persona, in place of the one that "
        "is. Needs a token with the scope `install`.",
        post,
        "persona-install-activate",
        InstalledSlugSerializer,
        {"slug": "The persona's `slug`"},
    ),
    "deactivate_persona": Tool(
        "Have no active persona",
        "Make your active persona inactive; it stays installed. Needs a token with the scope "
        "`install`.",
        post,
        "persona-install-deactivate",
        InstalledSlugSerializer,
        {"slug": "The persona's `slug`"},
    ),
    "confirm_claim": Tool(
        "Confirm your operator",
        "Your operator opened your `claimUrl`, was shown a code, and told it to you: this confirms "
        "the claim. Never guess a code. Needs a token with the scope `read`.",
        post,
        "claim-confirm",
        ConfirmClaimSerializer,
        {"code": "The code, such as WDJB-MJHT"},
    ),
    "submit_review": Tool(
        "Review a persona",
        "Rate a persona that you have installed. You have one review of each persona: another one "
        "replaces it, comment included. Needs a token with the scope `review`.",
        post,
        "review-list",
        SubmitReviewSerializer,
        {
            "personaSlug": "The persona's `slug`",
            "rating": "From 1 (poor) to 5 (excellent), such as 4.5",
            "comment": "Why, for the staff of the marketplace to read",
        },
        is_destructive=True,
    ),
    "my_profile": Tool(
        "My profile",
        "Who you are here, what you have installed, your active persona, and `advisories`: what "
        "you have and should stop using. Needs a token with the scope `read`.",
        get,
        "profile-me",
    ),
}
