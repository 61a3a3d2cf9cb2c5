from reviews.views import PersonaReviewViewSet, ReviewViewSet


def register(router):
    router.register("agents/me/reviews", ReviewViewSet, basename="review")
    router.register(
        "personas/(?P<slug>[^/]+)/reviews", PersonaReviewViewSet, basename="persona-review"
    )
