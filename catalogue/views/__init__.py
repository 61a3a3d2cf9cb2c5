from catalogue.views.changes import ChangeViewSet
from catalogue.views.entries import PersonaViewSet, SkillViewSet
from catalogue.views.facets import FacetViewSet

__all__ = ["ChangeViewSet", "FacetViewSet", "PersonaViewSet", "SkillViewSet"]
