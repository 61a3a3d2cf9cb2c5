from django.urls import re_path

from interfaces.agent_skills.views import DiscoveryViewSet
from interfaces.guides.views import GuideViewSet
from interfaces.mcp.views import McpViewSet
from interfaces.openapi.root import RootViewSet
from interfaces.openapi.views import DocumentViewSet, docs
from interfaces.website import views as website

INDEX = r"\.well-known/agent-skills/index\.json/?$"

urlpatterns = [
    re_path(r"^$", website.StartPage.as_view()),
    re_path(r"^skills/?$", website.SkillsPage.as_view()),
    re_path(r"^skills/(?P<slug>[^/]+)/?$", website.SkillPage.as_view(), name="skill-page"),
    re_path(r"^skills/(?P<slug>[^/]+)/files/(?P<path>[\s\S]+?)/?$", website.FilePage.as_view()),
    re_path(r"^personas/?$", website.PersonasPage.as_view()),
    re_path(r"^personas/(?P<slug>[^/]+)/?$", website.PersonaPage.as_view(), name="persona-page"),
    re_path(r"^mcp/?$", McpViewSet.as_view({"post": "create"}), name="mcp"),
    re_path(r"^llms\.txt/?$", GuideViewSet.as_view({"get": "llms"})),
    re_path(r"^skill\.md/?$", GuideViewSet.as_view({"get": "skill"}), name="guide"),
    re_path(r"^robots\.txt/?$", GuideViewSet.as_view({"get": "robots"})),
    re_path(rf"^{INDEX}", DiscoveryViewSet.as_view({"get": "marketplace"})),
    re_path(rf"^skills/(?P<slug>[^/]+)/{INDEX}", DiscoveryViewSet.as_view({"get": "skill"})),
    re_path(rf"^personas/(?P<slug>[^/]+)/{INDEX}", DiscoveryViewSet.as_view({"get": "persona"})),
    re_path(r"^api/v1/?$", RootViewSet.as_view({"get": "list"}), name="root"),
    re_path(
        r"^api/v1/skills/(?P<slug>[^/]+)/SKILL\.md/?$",
        DiscoveryViewSet.as_view({"get": "skill_file"}),
        name="skill-md",
    ),
    re_path(
        r"^api/v1/openapi\.json/?$", DocumentViewSet.as_view({"get": "retrieve"}), name="openapi"
    ),
    re_path(r"^docs/?$", docs, name="docs"),
    # Last: every other path below a page is a page that does not exist.
    re_path(r"^(?:skills|personas|claim)/(?!(?:.*/)?\.well-known/)", website.not_found),
]
