"""The desk, and what staff see of submissions on the pages of an entry."""

from django.contrib import admin

from catalogue.models import Persona, Skill
from submissions.admin import maintainers
from submissions.admin.desk import SubmissionAdmin
from submissions.admin.facts import origins_of
from submissions.admin.sending import BUTTON

for model in (Skill, Persona):
    admin.site.get_model_admin(model).extend(
        pages=maintainers.PAGES,
        panels=[maintainers.maintainers_panel],
        version_origins=[origins_of],
        buttons_of_form=[BUTTON],
    )
