from rest_framework.serializers import BaseSerializer

from catalogue.models import Change
from catalogue.serializers.entries import DIGEST_SCHEMA, KIND_SCHEMA, SLUG_SCHEMA
from marketplace.api.schemas import (
    TEXT,
    TIMESTAMP,
    URL,
    array,
    component,
    described,
    like,
    nullable,
    object_schema,
)
from marketplace.api.serializers import timestamp

CURSOR = "WyIiLCIyMDI2LTExLTIyVDIwOjU5OjIw"


class ChangeSerializer(BaseSerializer):
    """A change in the feed (lifecycle 18)."""

    schema = component(
        "Change",
        object_schema(
            {
                "kind": KIND_SCHEMA,
                "slug": SLUG_SCHEMA,
                "change": {"type": "string", "enum": Change.Type.values},
                "digest": described(nullable(DIGEST_SCHEMA), "Null of what is withdrawn."),
                "at": TIMESTAMP,
            }
        ),
    )
    page_schema = component(
        "ChangePage",
        object_schema(
            {
                "results": array(schema),
                "next": described(
                    like(URL, f"https://marketplace.example/api/v1/changes?since={CURSOR}"),
                    "What comes after these; on the last page too, where it is to be polled.",
                ),
                "cursor": described(like(TEXT, CURSOR), "The `since` of `next`."),
            }
        ),
    )

    def to_representation(self, change):
        return {
            "kind": change.kind,
            "slug": change.slug,
            "change": change.change,
            "digest": change.digest,
            "at": timestamp(change.changed_at),
        }
