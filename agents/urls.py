from django.urls import path

from agents.views import ClaimView, ClaimViewSet, RegistrationViewSet


def register(router):
    router.register("agents", RegistrationViewSet, basename="registration")
    router.register("agents/me", ClaimViewSet, basename="claim")


urlpatterns = [path("claim/<slug:secret>", ClaimView.as_view(), name="claim")]
