from changes.views import ChangeViewSet


def register(router):
    router.register("changes", ChangeViewSet, basename="change")
