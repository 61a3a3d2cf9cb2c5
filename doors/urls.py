from django.urls import re_path

from doors.mcp.views import McpViewSet
from doors.openapi.views import DocumentViewSet, docs

urlpatterns = [
    re_path(r"^mcp/?$", McpViewSet.as_view({"post": "create"})),
    re_path(
        r"^api/v1/openapi\.json/?$", DocumentViewSet.as_view({"get": "retrieve"}), name="openapi"
    ),
    re_path(r"^docs/?$", docs, name="docs"),
]
