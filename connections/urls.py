"""The routes of connectors. With OAUTH=false, neither they nor authlib are imported."""

from django.urls import re_path

from connections import views
from connections.console import Connections, EndConnection
from connections.pages import Connect
from operators.urls import AGENT

OF_RESOURCE = r"^\.well-known/oauth-protected-resource"

urlpatterns = [
    re_path(r"^operator/connect/?$", Connect.as_view(), name="connect"),
    re_path(r"^operator/connections/?$", Connections.as_view(), name="operator-connections"),
    re_path(
        rf"{AGENT}/end-connection{EndConnection.subject_path}/?$",
        EndConnection.as_view(),
        name="operator-end-connection",
    ),
    re_path(
        r"^\.well-known/oauth-authorization-server/?$",
        views.DocumentOfOAuthViewSet.as_view({"get": "server"}),
    ),
    re_path(
        rf"{OF_RESOURCE}(?:/mcp/oauth)?/?$",
        views.DocumentOfOAuthViewSet.as_view({"get": "resource"}),
    ),
    re_path(
        rf"{OF_RESOURCE}/mcp/?$",
        views.DocumentOfOAuthViewSet.as_view({"get": "resource_of_members"}),
    ),
    re_path(
        r"^oauth/register/?$",
        views.ClientRegistrationViewSet.as_view({"post": "create"}),
        name="oauth-register",
    ),
    re_path(r"^oauth/token/?$", views.FormViewSet.as_view({"post": "token"}), name="oauth-token"),
    re_path(
        r"^oauth/revoke/?$", views.FormViewSet.as_view({"post": "revoke"}), name="oauth-revoke"
    ),
]
