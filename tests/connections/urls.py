"""The routes of a server with OAUTH=true. Without it, it has no such routes."""

from django.urls import include, path

from interfaces.urls import connector
from marketplace import urls

handler400, handler403, handler404, handler500 = (
    *(urls.handler400, urls.handler403),
    *(urls.handler404, urls.handler500),
)
urlpatterns = [path("", include("connections.urls")), *connector, *urls.urlpatterns]
