from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView
from rest_framework.routers import SimpleRouter

from agents import urls as agents
from catalogue import urls as catalogue
from changes import urls as changes
from installs import urls as installs
from interfaces import urls as interfaces
from marketplace.access import check_urls, for_everyone
from marketplace.middleware.errors import error_view, not_found
from marketplace.middleware.pages import page
from operators import urls as operators
from publishers import urls as publishers
from reports import urls as reports
from reviews import urls as reviews
from search import urls as search
from submissions import urls as submissions

# A path works with and without a trailing slash, because a redirect would lose a POST's body.
router = SimpleRouter()
router.trailing_slash = "/?"
for app in (
    *(installs, search, catalogue, reviews, agents, reports, submissions, publishers, changes),
):
    app.register(router)

handler400, handler403 = error_view(400), error_view(403)
handler404, handler500 = not_found, error_view(500)
to_admin = csrf_exempt(page(for_everyone(RedirectView.as_view(pattern_name="admin:index"))))
urlpatterns = [
    path("api/v1/", include(router.urls)),
    path("", include(operators)),
    # Only with one of these is authlib imported.
    *([path("", include("connections.urls"))] if settings.OAUTH else []),
    *([path("", include("people.urls"))] if settings.OIDC_ISSUER else []),
    path("", include(interfaces)),
    path("admin", to_admin),
    path("admin/", admin.site.urls),
]
check_urls(urlpatterns)
