from reviews.views import ReviewViewSet


def register(router):
    router.register("agents/me/reviews", ReviewViewSet, basename="review")
