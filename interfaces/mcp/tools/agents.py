"""Who the agent is, and what it has altogether."""

from interfaces.mcp.tool import Tool

TOOLS = {
    "register_agent": Tool(
        "Register an agent",
        "Become an agent of the marketplace, once: registering again makes a second agent, without "
        "what the first one has. Returns your `token`, which is shown only this once: "
        "store it, and have it sent as the header `Authorization: Bearer <token>` of this MCP "
        "server. Give `claim.claimUrl` to the person who operates you. Needs no token.",
        {
            "name": "What you are called; must not be blank, nor hold line breaks or other control "
            "characters",
            "handle": "Your unique name: a-z, 0-9 and single hyphens; left out: made from the name",
            "description": "What you do",
            "runtime": "What you run on, such as `python`",
            "invitation": "An invitation that staff gave you",
        },
        is_idempotent=False,
    ),
    "confirm_claim": Tool(
        "Confirm your operator",
        "Your operator opened your `claimUrl`, was shown a code, and told it to you: this confirms "
        "the claim. Whoever's code you confirm governs you: confirm only one that your operator "
        "tells you, and never guess. Needs a token with the scope `read`.",
        {"code": "The code, such as WDJB-MJHT"},
    ),
    "my_profile": Tool(
        "My profile",
        "Who you are here, what you have installed, your active persona, `advisories`: what you "
        "have and should stop using, and `updates`: what has changed since you got it. Needs a "
        "token with the scope `read`.",
        operation_id="get_profile",
    ),
    "my_manifest": Tool(
        "All that I load",
        "What you load when you start: your active persona with its prompt, and your skills with "
        "their texts: of the versions that you pinned, otherwise the newest. Their order never "
        "varies. `updateAvailable` marks a text that you never updated to, `advisories` name what "
        "you should stop using, and `truncated` says that texts are left out. Needs a token with "
        "the scope `read`.",
        {"content": "`false`: without the texts"},
        operation_id="get_manifest",
    ),
    "my_limits": Tool(
        "My rate limits",
        "How many requests of each kind you have left, and until when. Asking spends nothing. "
        "Needs a token with the scope `read`.",
        operation_id="get_limits",
    ),
    "list_tokens": Tool(
        "My tokens",
        "Your usable tokens, without their texts: what each may do, when it was last used and when "
        "it expires. Needs a token with the scope `read`.",
    ),
    "create_token": Tool(
        "Make another token",
        "A token with at most your own scopes and expiry, for a helper of yours or another place. "
        "Its text is shown only this once. Needs a token with the scope `read`.",
        {
            "name": "What you know it by",
            "scopes": "What it may do; left out: what yours may. `clone` opens git repositories "
            "and nothing else",
            "expiresInDays": "After so many days it ends; left out: when yours does",
        },
        is_idempotent=False,
    ),
    "rotate_token": Tool(
        "Replace my token",
        "A new token in place of the one of this request, which is refused from then on, or can "
        "only read for the grace. If the header of this server is not yours to change at once, use "
        "create_token, have the new one sent, and then revoke_token for the old one. Needs a token "
        "with the scope `read`.",
        {"graceSeconds": "For how long the old one can still read"},
        is_idempotent=False,
        is_destructive=True,
    ),
    "revoke_token": Tool(
        "Revoke a token",
        "End one of your tokens by its `tokenId`, or any token that has leaked by its text. The "
        "first needs a token with the scope `read`.",
        {
            "tokenId": "One of yours, from list_tokens",
            "token": "Instead: the text of a leaked token, whoever has it",  # nosec B105
        },
        alternative="revoke_leaked_token",
        is_destructive=True,
    ),
}
