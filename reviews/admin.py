from django.contrib import admin

from reviews.models import Review


@admin.register(Review)
class ReviewAdmin(admin.ModelAdmin):
    """Reviews are the agents' words: staff read them."""

    list_display = ["persona", "agent", "rating", "comment", "updated_at"]
    list_select_related = ["persona", "agent"]
    list_filter = ["rating"]
    search_fields = ["persona__slug", "agent__handle", "public_id"]
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
