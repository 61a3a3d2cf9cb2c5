from django.conf import settings
from django.urls import re_path

from agents import handles
from catalogue.models import Persona, Skill
from interfaces.agent_skills.views import DiscoveryViewSet
from interfaces.git.urls import urlpatterns as git
from interfaces.guides.views import GuideViewSet
from interfaces.mcp.server_json import ServerJsonViewSet
from interfaces.mcp.views import ConnectorViewSet, McpViewSet
from interfaces.openapi.root import RootViewSet
from interfaces.openapi.views import DocumentViewSet, docs
from interfaces.website import agents, documents, entries, lists, pages, versions
from interfaces.website.suggestions import SuggestionViewSet


def versions_of(model, place):
    yield re_path(rf"{place}/?$", versions.VersionsPage.as_view(model=model))
    yield re_path(rf"{place}/compare/?$", versions.ComparisonPage.as_view(model=model))
    yield re_path(rf"{place}/(?P<number>[^/]+)/?$", versions.VersionPage.as_view(model=model))


LEADS = {"login": "/operator", "reviews": "/personas?sort=rating", "search": "/skills"}
RETRIEVE = {"get": "retrieve"}
INDEX = r"\.well-known/agent-skills/index\.json/?$"

connector = [
    re_path(r"^mcp/oauth/?$", ConnectorViewSet.as_view({"post": "create"}), name="mcp-oauth")
]
urlpatterns = [
    re_path(r"^$", pages.StartPage.as_view()),
    re_path(r"^skills/?$", lists.SkillsPage.as_view()),
    re_path(r"^skills/(?P<slug>[^/]+)/?$", entries.SkillPage.as_view()),
    re_path(r"^skills/(?P<slug>[^/]+)/files/?$", entries.SkillPage.as_view(part="files")),
    re_path(r"^skills/(?P<slug>[^/]+)/used-by/?$", entries.SkillPage.as_view(part="used-by")),
    re_path(r"^skills/(?P<slug>[^/]+)/files/(?P<path>[\s\S]+?)/?$", entries.FilePage.as_view()),
    *(
        path
        for model in (Skill, Persona)
        for path in versions_of(model, rf"^{model.kind}s/(?P<slug>[^/]+)/versions")
    ),
    re_path(r"^personas/?$", lists.PersonasPage.as_view()),
    re_path(r"^personas/(?P<slug>[^/]+)/?$", entries.PersonaPage.as_view()),
    re_path(r"^personas/(?P<slug>[^/]+)/used-by/?$", entries.PersonaPage.as_view(part="used-by")),
    re_path(r"^personas/(?P<slug>[^/]+)/reviews/?$", entries.ReviewsPage.as_view()),
    *(re_path(rf"^{name}/?$", pages.leads_to(address)) for name, address in LEADS.items()),
    re_path(rf"^agents/(?P<handle>{handles.PATTERN})/?$", agents.AgentPage.as_view()),
    re_path(r"^this-week/?$", pages.WeekPage.as_view(), name="this-week"),
    re_path(r"^activity/?$", documents.ActivityDocument.as_view(), name="activity"),
    re_path(r"^suggest/?$", SuggestionViewSet.as_view({"get": "list"})),
    re_path(r"^mcp/?$", McpViewSet.as_view({"post": "create"}), name="mcp"),
    *(connector if settings.OAUTH else []),
    re_path(r"^server\.json/?$", ServerJsonViewSet.as_view(RETRIEVE)),
    re_path(
        r"^llms\.txt/?$",
        GuideViewSet.as_view(RETRIEVE, file_name="llms.txt", media_type="text/plain"),
    ),
    re_path(r"^skill\.md/?$", GuideViewSet.as_view(RETRIEVE, file_name="skill.md"), name="guide"),
    # The part that an agent needs later, so that /skill.md stays short.
    re_path(r"^guide\.md/?$", GuideViewSet.as_view(RETRIEVE, file_name="guide.md")),
    re_path(r"^robots\.txt/?$", GuideViewSet.as_view({"get": "robots"})),
    re_path(r"^sitemap\.xml/?$", documents.SitemapIndex.as_view()),
    re_path(r"^sitemap-(?P<part>[^/]+)\.xml/?$", documents.Sitemap.as_view()),
    re_path(r"^feed\.atom/?$", documents.NewEntriesFeed.as_view()),
    re_path(r"^this-week\.atom/?$", documents.WeekFeed.as_view()),
    re_path(rf"^{INDEX}", DiscoveryViewSet.as_view({"get": "marketplace"})),
    re_path(rf"^skills/(?P<slug>[^/]+)/{INDEX}", DiscoveryViewSet.as_view({"get": "skill"})),
    re_path(rf"^personas/(?P<slug>[^/]+)/{INDEX}", DiscoveryViewSet.as_view({"get": "persona"})),
    re_path(r"^api/v1/?$", RootViewSet.as_view({"get": "list"}), name="root"),
    re_path(
        r"^api/v1/skills/(?P<slug>[^/]+)/SKILL\.md/?$",
        DiscoveryViewSet.as_view({"get": "skill_file"}),
        name="skill-md",
    ),
    re_path(r"^api/v1/openapi\.json/?$", DocumentViewSet.as_view(RETRIEVE), name="openapi"),
    re_path(r"^docs/?$", docs, name="docs"),
    *(git if settings.GIT else []),
    # Last: every other path below a page is a page that does not exist.
    re_path(r"^(?:skills|personas|claim|operator)/(?!(?:.*/)?\.well-known/)", pages.not_found),
]
