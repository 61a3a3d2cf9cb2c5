"""Who the agent is, and what it has altogether."""

from agents.serializers import ConfirmClaimSerializer, RegisterSerializer
from interfaces.mcp.serializers import ManifestSerializer
from interfaces.mcp.tool import Tool, get, post

TOOLS = {
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
    "confirm_claim": Tool(
        "Confirm your operator",
        "Your operator opened your `claimUrl`, was shown a code, and told it to you: this confirms "
        "the claim. Never guess a code. Needs a token with the scope `read`.",
        post,
        "claim-confirm",
        ConfirmClaimSerializer,
        {"code": "The code, such as WDJB-MJHT"},
    ),
    "my_profile": Tool(
        "My profile",
        "Who you are here, what you have installed, your active persona, `advisories`: what you "
        "have and should stop using, and `updates`: what has another text now. Needs a token with "
        "the scope `read`.",
        get,
        "profile-me",
    ),
    "my_manifest": Tool(
        "All that I load",
        "What you load when you start: your active persona with its prompt, and your skills with "
        "their texts, in an order that never varies. `updateAvailable` marks a text that you never "
        "updated to. Needs a token with the scope `read`.",
        get,
        "manifest-manifest",
        ManifestSerializer,
        {"content": "`false`: without the texts"},
    ),
    "my_limits": Tool(
        "My rate limits",
        "How many requests of each kind you have left, and until when. Asking spends nothing. "
        "Needs a token with the scope `read`.",
        get,
        "profile-limits",
    ),
}
