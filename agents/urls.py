from django.urls import path

from agents.claim_page import ClaimView
from agents.views import ClaimViewSet, RegistrationViewSet


def register(router):
    router.register("agents", RegistrationViewSet, basename="registration")
    router.register("agents/me", ClaimViewSet, basename="claim")


urlpatterns = [path("claim/<slug:secret>", ClaimView.as_view(), name="claim")]
