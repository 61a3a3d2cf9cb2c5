from profiles.views import ProfileViewSet


def register(router):
    router.register("agents", ProfileViewSet, basename="profile")
