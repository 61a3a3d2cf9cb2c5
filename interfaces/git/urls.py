from django.urls import re_path

from interfaces.git.views import GitViewSet

SERVICES = {
    "info/refs": {"get": "refs"},
    "git-upload-pack": {"post": "upload"},
    "git-receive-pack": {"post": "push"},
}
REPOSITORIES = [r"(?P<kind>catalogue|me)", r"(?P<kind>skills|personas)/(?P<slug>[^/]+?)"]
urlpatterns = [
    # A slug has no dot.
    re_path(rf"^git/{repository}(?:\.git)?/{path}$", GitViewSet.as_view(methods))
    for repository in REPOSITORIES
    for path, methods in SERVICES.items()
]
