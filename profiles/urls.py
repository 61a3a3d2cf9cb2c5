from profiles.views import ManifestViewSet, ProfileViewSet


def register(router):
    router.register("agents", ProfileViewSet, basename="profile")
    router.register("agents/me", ManifestViewSet, basename="manifest")
