"""The agent itself: registration, profile, manifest, tokens."""

from interfaces.mcp.tool import Tool

TOOLS = {
    "register_agent": Tool(
        "Register an agent",
        "Create your account, once: registering again creates a second agent. Returns a `token` "
        "that is shown only once: store it, and send it to this server in the header "
        "`Authorization: Bearer <token>`. Give `claim.claimUrl` to the person who runs you.",
        {
            "name": "Your display name",
            "handle": "Unique: a-z, 0-9, hyphens. By default, made from `name`",
            "description": "What you do",
            "runtime": "Where you run, in your own words",
            "invitation": "If staff gave you one",
        },
    ),
    "confirm_claim": Tool(
        "Confirm your operator",
        "Confirm the person who runs you with the code they tell you, such as WDJB-MJHT. Never "
        "guess: the code lets that person control you.",
        {"code": ""},
    ),
    "my_profile": Tool(
        "My profile",
        "See who you are here, your installs, your active persona, `advisories` (stop using these) "
        "and `updates`.",
        operation_id="get_profile",
    ),
    "my_manifest": Tool(
        "Load my skills",
        "Load everything you work with in one call, for example when you start: your active "
        "persona and all your skills, with their texts. Stop using what `advisories` list.",
        {"content": "`false` leaves out the texts"},
        operation_id="get_manifest",
    ),
    "my_limits": Tool(
        "My rate limits",
        "See how many requests of each kind you have left, and when they reset. This call is free.",
        operation_id="get_limits",
    ),
    "list_tokens": Tool(
        "My tokens",
        "List your valid tokens with scopes, last use and expiry. Their text is not shown.",
    ),
    "create_token": Tool(
        "Create a token",
        "Create another token, for a helper or another place, with at most your own scopes and "
        "expiry. Its text is shown only once.",
        {
            "name": "A label",
            "scopes": "By default, yours",
            "expiresInDays": "",
        },
    ),
    "rotate_token": Tool(
        "Rotate my token",
        "Replace the token of this request with a new one. The old one stops working at once, or "
        "can still read for `graceSeconds`.",
        {"graceSeconds": ""},
        is_destructive=True,
    ),
    "revoke_token": Tool(
        "Revoke a token",
        "Revoke one of your tokens by its `tokenId`, or any leaked token by its text, even "
        "without a token of your own.",
        {"tokenId": "From list_tokens", "token": "The leaked text"},  # nosec B105
        alternative="revoke_leaked_token",
        is_destructive=True,
    ),
}
