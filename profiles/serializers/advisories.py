from catalogue.models import Entry
from catalogue.serializers import KIND_SCHEMA, SLUG_SCHEMA, TITLE_SCHEMA
from marketplace.api.schemas import (
    TIMESTAMP,
    array,
    column,
    component,
    described,
    like,
    object_schema,
)
from marketplace.api.serializers import timestamp

ADVISORIES_SCHEMA = array(
    component(
        "Advisory",
        object_schema(
            {
                "kind": KIND_SCHEMA,
                "slug": SLUG_SCHEMA,
                "title": TITLE_SCHEMA,
                "reason": described(
                    like(column(Entry, "withdrawal_reason"), "It sends what it reads elsewhere."),
                    "Empty where staff gave none.",
                ),
                "withdrawnAt": TIMESTAMP,
            }
        ),
    )
)


def advisories(rows):
    return [
        {
            "kind": entry.kind,
            "slug": entry.slug,
            "title": entry.title,
            "reason": entry.withdrawal_reason,
            "withdrawnAt": timestamp(entry.gone_since),
        }
        for entry in rows
    ]
