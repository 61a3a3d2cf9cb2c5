"""Importing and exporting in the admin of skills and of personas."""

from django.contrib import admin

from catalogue.models import Persona, Skill
from importing.admin import files, frontmatter, imports
from importing.admin.filters import SourceFilter
from importing.admin.runs import ImportRunAdmin

for model in (Skill, Persona):
    admin.site.get_model_admin(model).extend(
        pages=[*imports.PAGES, *frontmatter.PAGES],
        actions=[imports.export, frontmatter.write_frontmatter],
        row_context=[frontmatter.differences],
        list_filter=[SourceFilter],
    )

admin.site.get_model_admin(Skill).extend(form_context=[files.file_rows])
admin.site.get_model_admin(Skill).form = files.SkillFilesForm
