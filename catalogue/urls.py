from catalogue.version_views import PersonaVersionViewSet, SkillVersionViewSet
from catalogue.views import PersonaViewSet, SkillViewSet

VERSIONS = "(?P<slug>[^/]+)/versions"


def register(router):
    router.register("skills", SkillViewSet, basename="skill")
    router.register("personas", PersonaViewSet, basename="persona")
    router.register(f"skills/{VERSIONS}", SkillVersionViewSet, basename="skill-version")
    router.register(f"personas/{VERSIONS}", PersonaVersionViewSet, basename="persona-version")
