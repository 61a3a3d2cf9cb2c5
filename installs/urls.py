from installs.profile_views import ManifestViewSet, ProfileViewSet
from installs.views import PersonaInstallViewSet, SkillInstallViewSet


def register(router):
    router.register("agents", ProfileViewSet, basename="profile")
    router.register("agents/me", ManifestViewSet, basename="manifest")
    router.register("agents/me/skills", SkillInstallViewSet, basename="skill-install")
    router.register("agents/me/personas", PersonaInstallViewSet, basename="persona-install")
