from rest_framework.serializers import BaseSerializer

from catalogue.search.facet_counts import MAX_VALUES
from marketplace.api.schemas import COUNT, TEXT, array, component, like, object_schema

# What a facet is called here, by its name in the counts and in a list's filter.
PLURALS = {
    "category": "categories",
    "runtime": "runtimes",
    "tag": "tags",
    "author": "authors",
    "license": "licenses",
}
VALUES_SCHEMA = array(
    component("FacetValue", object_schema({"value": like(TEXT, "data"), "count": like(COUNT, 12)})),
    maxItems=MAX_VALUES,
)


class FacetsSerializer(BaseSerializer):
    """The most common values of each facet; from most_common (lifecycle 19)."""

    facets = PLURALS.keys()
    schema = component("Facets", object_schema(dict.fromkeys(PLURALS.values(), VALUES_SCHEMA)))

    def to_representation(self, counted):
        facets = {plural: [] for plural in PLURALS.values()}
        for facet, value, entries in counted:
            facets[PLURALS[facet]].append({"value": value, "count": entries})
        return facets
