from search.views import FacetViewSet, PersonaListViewSet, SkillListViewSet


def register(router):
    router.register("skills", SkillListViewSet, basename="skills")
    router.register("personas", PersonaListViewSet, basename="personas")
    router.register("facets", FacetViewSet, basename="facet")
