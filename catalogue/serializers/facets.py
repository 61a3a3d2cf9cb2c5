from catalogue.search.facet_counts import MAX_VALUES
from marketplace.api.fields import CountField, TextField
from marketplace.api.serializers import ResponseSerializer

# What a facet is called here, by its name in the counts and in a list's filter.
PLURALS = {
    "category": "categories",
    "runtime": "runtimes",
    "tag": "tags",
    "author": "authors",
    "license": "licenses",
}


class FacetValueSerializer(ResponseSerializer):
    value = TextField(initial="data")
    count = CountField(initial=12)


class FacetsSerializer(ResponseSerializer):
    """The most common values of each facet; from most_common (contract 21.1)."""

    facets = PLURALS.keys()
    vars().update(
        {
            plural: FacetValueSerializer(many=True, max_length=MAX_VALUES)
            for plural in PLURALS.values()
        }
    )

    def to_representation(self, counted):
        values = {plural: [] for plural in PLURALS.values()}
        for facet, value, entries in counted:
            values[PLURALS[facet]].append({"value": value, "count": entries})
        return super().to_representation(values)
