"""What skills and personas show alike."""

from rest_framework.serializers import BaseSerializer

from catalogue.models import Entry
from catalogue.search.ranking import MAX_RESULTS
from marketplace.api.schemas import (
    COUNT,
    TEXT,
    TIMESTAMP,
    array,
    column,
    component,
    described,
    like,
    nullable,
    object_schema,
)
from marketplace.api.serializers import timestamp
from marketplace.models import SLUG

KIND_SCHEMA = {"type": "string", "enum": ["skill", "persona"]}
SLUG_SCHEMA = like(column(Entry, "slug") | {"pattern": f"^{SLUG}$"}, "pdf-tables")
TITLE_SCHEMA = like(column(Entry, "title"), "PDF Tables")
# The same for a persona, and for what bundles or installs one.
PERSONA_SLUG_SCHEMA = like(SLUG_SCHEMA, "archivist")
PERSONA_TITLE_SCHEMA = like(TITLE_SCHEMA, "Archivist")
DESCRIPTION_SCHEMA = like(TEXT, "Extracts tables from PDF files into CSV.")
DIGEST_SCHEMA = {
    "type": "string",
    "pattern": "^sha256:[0-9a-f]{64}$",
    "examples": ["sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"],
}
OF_SEARCH = f"On all pages; a search has the best {MAX_RESULTS:,}."
UNKNOWN = "Empty where it is not known."
CONTEXT_TOKENS_SCHEMA = described(
    COUNT, "About what `content` costs an agent's context: characters / 4."
)
VERSION_SCHEMA = like(described(column(Entry, "version"), UNKNOWN), "1.6.0")
DEPRECATION_SCHEMA = described(
    nullable(
        component(
            "Deprecation",
            object_schema(
                {
                    "message": like(
                        column(Entry, "deprecation_message"), "It reads scanned tables only."
                    ),
                    "replacedBy": described(
                        like(nullable(SLUG_SCHEMA), "pdf-forms"),
                        "The `slug` of an entry of the same kind to use instead.",
                    ),
                }
            ),
        )
    ),
    "Set where staff advise against it. It can be installed still.",
)


def deprecation_of(row):
    """What a row says with its `deprecation_message` and `successor_slug` (lifecycle 16)."""
    if not row.deprecation_message:
        return None
    return {"message": row.deprecation_message, "replacedBy": row.successor_slug}


class EntrySerializer(BaseSerializer):
    """What skills and personas show alike, in a list and in detail."""

    fields_schema = {
        "slug": SLUG_SCHEMA,
        "title": TITLE_SCHEMA,
        "description": DESCRIPTION_SCHEMA,
        "category": like(described(column(Entry, "category"), UNKNOWN), "data"),
        "tags": array(like(column(Entry, "tags"), "pdf")),
        "runtimes": array(like(column(Entry, "runtimes"), "python")),
        "author": like(described(column(Entry, "author"), UNKNOWN), "Harbour Tools"),
        "version": VERSION_SCHEMA,
        "license": like(described(column(Entry, "license"), UNKNOWN), "MIT"),
        "contextTokens": CONTEXT_TOKENS_SCHEMA,
        "digest": described(
            DIGEST_SCHEMA, "Of what agents get: the SKILL.md as it is served, or the prompt."
        ),
        "deprecation": DEPRECATION_SCHEMA,
        "createdAt": TIMESTAMP,
        "updatedAt": TIMESTAMP,
    }

    def common(self, entry):
        return {
            "slug": entry.slug,
            "title": entry.title,
            "description": entry.description,
            "category": entry.category,
            "tags": entry.tags,
            "runtimes": entry.runtimes,
            "author": entry.author,
            "version": entry.version,
            "license": entry.license,
            "contextTokens": entry.context_tokens,
            "digest": entry.digest,
            "deprecation": deprecation_of(entry),
            "createdAt": timestamp(entry.created_at),
            "updatedAt": timestamp(entry.updated_at),
        }
