"""Finding entries by word, and their labels, in the admin of skills and of personas."""

from django.contrib import admin

from catalogue.models import Persona, Skill
from search.admin import labels
from search.admin.finding import containing
from search.admin.zero_results import ZeroResultSearchAdmin

for model in (Skill, Persona):
    admin.site.get_model_admin(model).extend(
        pages=labels.PAGES,
        actions=[labels.edit_labels],
        form_context=[labels.suggested],
        finders=[containing],
    )
