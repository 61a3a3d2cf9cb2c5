from django.urls import re_path

from doors.mcp.views import McpViewSet

urlpatterns = [
    re_path(r"^mcp/?$", McpViewSet.as_view({"post": "create"})),
]
