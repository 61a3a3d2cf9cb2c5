from installs.views import PersonaInstallViewSet, SkillInstallViewSet


def register(router):
    router.register("agents/me/skills", SkillInstallViewSet, basename="skill-install")
    router.register("agents/me/personas", PersonaInstallViewSet, basename="persona-install")
