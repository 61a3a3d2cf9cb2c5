from django.contrib import admin

from installs.models import PersonaInstall, SkillInstall


class InstallAdmin(admin.ModelAdmin):
    """Installs are written by the API alone, which keeps the counters true to them."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(SkillInstall)
class SkillInstallAdmin(InstallAdmin):
    list_display = ["skill", "agent", "runtime", "installed_at"]
    list_select_related = ["skill", "agent"]
    search_fields = ["skill__slug", "agent__handle"]


@admin.register(PersonaInstall)
class PersonaInstallAdmin(InstallAdmin):
    list_display = ["persona", "agent", "is_active", "installed_at"]
    list_select_related = ["persona", "agent"]
    list_filter = ["is_active"]
    search_fields = ["persona__slug", "agent__handle"]
