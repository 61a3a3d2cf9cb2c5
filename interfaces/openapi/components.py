"""The shapes of answers: every field is always there, no other is, and null is no value."""

from agents import handles, tokens
from agents.models import Agent
from catalogue.filters import SLUG_SCHEMA
from catalogue.models import Entry
from catalogue.search.ranking import MAX_RESULTS
from marketplace.api.permissions import Scope
from profiles.sql import NEWEST
from reviews.models import Review

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
FLAG = {"type": "boolean"}
URL = {"type": "string", "format": "uri"}
TIMESTAMP = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
    "description": "ISO 8601, UTC, milliseconds.",
}
RATING = {"type": "number", "minimum": 1, "maximum": 5}


def shape(fields, description=None):
    described = {"description": description} if description else {}
    return {
        "type": "object",
        **described,
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def ref(name, kind="schemas"):
    return {"$ref": f"#/components/{kind}/{name}"}


def some(items, **keywords):
    return {"type": "array", "items": items, **keywords}


def or_none(schema):
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"oneOf": [schema, {"type": "null"}]}


def said(schema, description):
    return schema | {"description": description}


def column(model, name):
    """A text as long as its column takes."""
    return {"type": "string", "maxLength": model._meta.get_field(name).max_length}


def identifier(kind):
    return {"type": "string", "pattern": f"^{kind}_", "description": "Opaque, and never changes."}


def labels(name):
    return some({"type": "string", "maxLength": Entry._meta.get_field(name).base_field.max_length})


SLUG = SLUG_SCHEMA
TITLE = column(Entry, "title")
RUNTIME = column(Agent, "runtime")
HANDLE = column(Agent, "handle") | {"pattern": f"^{handles.SHAPE}$"}
MESSAGE = {"type": "string", "description": "One sentence for a person to read."}
SCOPES = some(ref("Scope"))
NO_TEXT = "Empty where it is not known."

ENTRY = {
    "slug": SLUG,
    "title": TITLE,
    "description": TEXT,
    "category": said(column(Entry, "category"), NO_TEXT),
    "tags": labels("tags"),
    "runtimes": labels("runtimes"),
    "author": said(column(Entry, "author"), NO_TEXT),
    "version": said(column(Entry, "version"), NO_TEXT),
    "license": said(column(Entry, "license"), NO_TEXT),
    "contextTokens": said(COUNT, "About what `content` costs an agent's context: characters / 4."),
    "createdAt": TIMESTAMP,
    "updatedAt": TIMESTAMP,
}
SKILL = {"skillId": identifier("skill"), **ENTRY, "downloads": COUNT}
PERSONA = {
    "personaId": identifier("persona"),
    **ENTRY,
    "priceCents": COUNT,
    "isFree": said(FLAG, "Only free personas can be installed over this API."),
    "skills": said(some(SLUG), "The slugs of the skills that come with it."),
    "installs": COUNT,
    "ratingAvg": said(or_none(RATING), "Null without reviews."),
    "ratingCount": COUNT,
}
RATINGS = {
    "average": or_none(RATING),
    "count": COUNT,
    "distribution": ref("RatingDistribution"),
}
OWN_PERSONA = {"personaId": identifier("persona"), "slug": SLUG, "title": TITLE}
CONFIRMED_CLAIM = {
    "status": ref("ClaimStatus"),
    "operator": said(or_none(ref("Operator")), "Null until the claim is confirmed."),
    "claimedAt": or_none(TIMESTAMP),
}
CLAIM = {
    "claimUrl": said(URL, "A secret page: hand it to the person who operates you."),
    **CONFIRMED_CLAIM,
}
AGENT = {
    "agentId": identifier("agent"),
    "handle": HANDLE,
    "name": column(Agent, "name"),
    "description": column(Agent, "description"),
    "runtime": RUNTIME,
}


def page(kind):
    return shape(
        {
            "results": some(ref(kind)),
            "count": said(COUNT, f"On all pages; a search has the best {MAX_RESULTS:,}."),
            "next": said(or_none(URL), "The next page; null on the last."),
            "previous": or_none(URL),
        }
    )


SCHEMAS = {
    "Error": shape({"error": TEXT}, "Every answer of 400 and above: one sentence."),
    "Skill": shape(SKILL),
    "SkillPage": page("Skill"),
    "SkillDetail": shape(
        SKILL
        | {
            "content": said(TEXT, "The whole SKILL.md, frontmatter included."),
            "personas": some(ref("BundlingPersona")),
        }
    ),
    "SkillFile": said(TEXT, "Frontmatter between two lines of `---`, then Markdown."),
    "Persona": shape(PERSONA),
    "PersonaPage": page("Persona"),
    "PersonaDetail": shape(
        PERSONA
        | {
            "content": said(or_none(TEXT), "The prompt; null while it has a price."),
            "skills": some(ref("BundledSkill")),
            "ratings": ref("Ratings"),
        }
    ),
    "BundledSkill": shape(
        {"skillId": identifier("skill"), "slug": SLUG, "title": TITLE, "description": TEXT}
    ),
    "BundlingPersona": shape({"slug": SLUG, "title": TITLE}),
    "Ratings": shape(RATINGS),
    "RatingDistribution": shape(
        {str(stars): COUNT for stars in range(1, 6)},
        "How many reviews at each whole rating, fractions at the nearest.",
    ),
    "Scope": {"type": "string", "enum": Scope.values},
    "ClaimStatus": {"type": "string", "enum": ["unclaimed", "pending", "claimed"]},
    "Operator": shape({"name": TEXT}),
    "Claim": shape(CLAIM),
    "RegisteredAgent": shape(
        {
            "message": MESSAGE,
            **AGENT,
            "token": {
                "type": "string",
                "pattern": f"^{tokens.SHAPE.pattern}$",
                "description": "The bearer token. Keep it: it is shown here and never again.",
            },
            "tokenType": {"type": "string", "enum": ["Bearer"]},
            "scopes": SCOPES,
            "tokenExpiresAt": said(or_none(TIMESTAMP), "Null: it does not expire."),
            "claim": ref("Claim"),
            "createdAt": TIMESTAMP,
        }
    ),
    "Profile": shape(
        {
            **AGENT,
            "tier": said(column(Agent, "tier"), "Which rate limits apply."),
            "scopes": said(SCOPES, "What the token of this request may do."),
            "claim": ref("Claim"),
            "activePersona": or_none(ref("ActivePersona")),
            "skills": said(
                some(ref("OwnSkill"), maxItems=NEWEST), f"The newest {NEWEST}, newest first."
            ),
            "personas": said(
                some(ref("OwnPersona"), maxItems=NEWEST), f"The newest {NEWEST}, newest first."
            ),
            "advisories": said(
                some(ref("Advisory"), maxItems=NEWEST),
                "What the agent has and should stop using: staff recalled it.",
            ),
            "counts": ref("Counts"),
            "createdAt": TIMESTAMP,
            "updatedAt": TIMESTAMP,
        }
    ),
    "Counts": shape(
        {"skills": COUNT, "personas": COUNT, "reviews": COUNT}, "How many there are, listed or not."
    ),
    "ActivePersona": shape(OWN_PERSONA),
    "OwnSkill": shape(
        {
            "skillId": identifier("skill"),
            "slug": SLUG,
            "title": TITLE,
            "runtime": TEXT,
            "installedAt": TIMESTAMP,
        }
    ),
    "OwnPersona": shape(
        {**OWN_PERSONA, "isActive": FLAG, "installedAt": TIMESTAMP, "skills": some(SLUG)}
    ),
    "Advisory": shape(
        {
            "kind": {"type": "string", "enum": ["skill", "persona"]},
            "slug": SLUG,
            "title": TITLE,
            "reason": column(Entry, "withdrawal_reason"),
            "withdrawnAt": TIMESTAMP,
        }
    ),
    "ConfirmedClaim": shape(
        {
            "message": MESSAGE,
            "agentId": identifier("agent"),
            "handle": HANDLE,
            "claim": ref("OperatorClaim"),
        }
    ),
    "OperatorClaim": shape(CONFIRMED_CLAIM),
    "InstalledSkill": shape({"message": MESSAGE, "skillId": identifier("skill"), "slug": SLUG}),
    "InstalledPersona": shape(
        {
            "message": MESSAGE,
            "personaId": identifier("persona"),
            "slug": SLUG,
            "isActive": FLAG,
        }
    ),
    "SubmittedReview": shape(
        {
            "message": MESSAGE,
            "reviewId": identifier("review"),
            "personaSlug": SLUG,
            "rating": RATING,
            "comment": column(Review, "comment"),
            "createdAt": TIMESTAMP,
            "updatedAt": TIMESTAMP,
        }
    ),
}


def header(description, schema, *, required=True):
    return {"description": description, "required": required, "schema": schema}


HEADERS = {
    "ETag": header("Names this very answer; send it as `If-None-Match`.", TEXT),
    "Cache-Control": header("How long the answer may be kept.", TEXT),
    "RateLimit": header(
        'What is left: `"install";r=17;t=1284` is 17 requests, all again in 1284 seconds.', TEXT
    ),
    "RateLimit-Policy": header('The limit: `"install";q=20;w=3600` is 20 in 3600 seconds.', TEXT),
    "Retry-After": header(
        "Seconds to wait before the same request.", {"type": "integer", "minimum": 1}
    ),
    "WWW-Authenticate": header("What is wrong with the token (RFC 6750).", TEXT),
}
