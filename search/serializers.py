from catalogue.models import Kind
from catalogue.serializers.personas import PersonaSerializer
from catalogue.serializers.skills import SkillSerializer
from marketplace.api.fields import ChoiceField, CountField, TextField
from marketplace.api.serializers import PageSerializer, ResponseSerializer
from search.facet_counts import MAX_VALUES
from search.ranking import MAX_RESULTS

OF_SEARCH = f"The total on all pages. A search finds at most its best {MAX_RESULTS:,}."
OF_NOTHING = (
    "Only if `q` finds nothing: what it finds of the other kind, or entries of both kinds with "
    "similar words."
)
# The name of a facet here, by its name in the counts and in a list's filter.
PLURALS = {
    "category": "categories",
    "runtime": "runtimes",
    "tag": "tags",
    "author": "authors",
    "license": "licenses",
}


class NearestEntrySerializer(ResponseSerializer):
    kind = ChoiceField(Kind.values, initial="persona")
    slug = TextField(initial="archivist")
    title = TextField(initial="Archivist")


class SkillPageSerializer(PageSerializer):
    results = SkillSerializer(many=True)
    count = CountField(help_text=OF_SEARCH)
    nearest = NearestEntrySerializer(many=True, required=False, help_text=OF_NOTHING)


class PersonaPageSerializer(PageSerializer):
    results = PersonaSerializer(many=True)
    count = CountField(help_text=OF_SEARCH)
    nearest = NearestEntrySerializer(many=True, required=False, help_text=OF_NOTHING)


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

    def to_representation(self, rows):
        values = {plural: [] for plural in PLURALS.values()}
        for facet, value, entries in rows:
            values[PLURALS[facet]].append({"value": value, "count": entries})
        return super().to_representation(values)
