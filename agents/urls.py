from agents.views import ClaimViewSet, LeakedTokenViewSet, RegistrationViewSet, TokenViewSet


def register(router):
    router.register("agents", RegistrationViewSet, basename="registration")
    router.register("agents/me", ClaimViewSet, basename="claim")
    router.register("agents/me/tokens", TokenViewSet, basename="token")
    router.register("tokens", LeakedTokenViewSet, basename="leaked-token")
