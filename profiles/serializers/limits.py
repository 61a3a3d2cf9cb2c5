from rest_framework.serializers import BaseSerializer

from marketplace.api.schemas import (
    COUNT,
    TEXT,
    array,
    component,
    like,
    object_schema,
)


class LimitsSerializer(BaseSerializer):
    """The usages of the rate limits."""

    schema = component(
        "Limits",
        object_schema(
            {
                "limits": array(
                    component(
                        "Limit",
                        object_schema(
                            {
                                "policy": like(TEXT, "install"),
                                "limit": like(COUNT, 20),
                                "windowSeconds": like(COUNT, 3600),
                                "remaining": like(COUNT, 17),
                                "resetSeconds": like(COUNT, 1284),
                            }
                        ),
                    )
                )
            }
        ),
    )

    def to_representation(self, usages):
        return {
            "limits": [
                {
                    "policy": usage.policy,
                    "limit": usage.limit,
                    "windowSeconds": usage.window,
                    "remaining": usage.remaining,
                    "resetSeconds": usage.seconds,
                }
                for usage in usages
            ]
        }
