from django.urls import path

from agents.views import AgentViewSet, ClaimView, RegistrationViewSet


def register(router):
    router.register("agents", RegistrationViewSet, basename="registration")
    router.register("agents", AgentViewSet, basename="agent")


urlpatterns = [path("claim/<slug:secret>", ClaimView.as_view(), name="claim")]
