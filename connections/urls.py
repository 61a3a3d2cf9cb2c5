"""The routes of connectors. With OAUTH=false, neither they nor authlib are imported."""

from django.urls import re_path

from connections import views

OF_RESOURCE = r"^\.well-known/oauth-protected-resource"

urlpatterns = [
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
