from django.urls import re_path

from doors import pages

urlpatterns = [
    re_path(r"^$", pages.StartPage.as_view()),
    re_path(r"^skills/?$", pages.SkillsPage.as_view()),
    re_path(r"^skills/(?P<slug>[^/]+)/?$", pages.SkillPage.as_view()),
    re_path(r"^personas/?$", pages.PersonasPage.as_view()),
    re_path(r"^personas/(?P<slug>[^/]+)/?$", pages.PersonaPage.as_view()),
]
