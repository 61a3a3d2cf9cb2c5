from catalogue.views import ChangeViewSet, FacetViewSet, PersonaViewSet, SkillViewSet


def register(router):
    router.register("skills", SkillViewSet, basename="skill")
    router.register("personas", PersonaViewSet, basename="persona")
    router.register("changes", ChangeViewSet, basename="change")
    router.register("facets", FacetViewSet, basename="facet")
