from django.contrib import admin

from installs.models import PersonaInstall, SkillInstall
from marketplace.admin import ReadOnlyAdmin


@admin.register(SkillInstall)
class SkillInstallAdmin(ReadOnlyAdmin):
    list_display = ["skill", "agent", "runtime", "installed_at"]
    list_select_related = ["skill", "agent"]
    search_fields = ["skill__slug", "agent__handle"]


@admin.register(PersonaInstall)
class PersonaInstallAdmin(ReadOnlyAdmin):
    list_display = ["persona", "agent", "is_active", "installed_at"]
    list_select_related = ["persona", "agent"]
    list_filter = ["is_active"]
    search_fields = ["persona__slug", "agent__handle"]
