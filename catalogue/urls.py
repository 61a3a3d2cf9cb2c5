from catalogue.views import PersonaViewSet, SkillViewSet


def register(router):
    router.register("skills", SkillViewSet, basename="skill")
    router.register("personas", PersonaViewSet, basename="persona")
