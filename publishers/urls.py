from publishers.views import ExchangeViewSet


def register(router):
    router.register("tokens", ExchangeViewSet, basename="exchange")
