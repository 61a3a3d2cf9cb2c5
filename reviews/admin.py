from django.contrib import admin

from marketplace.admin import ReadOnlyAdmin
from reviews.models import Review


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ["persona", "agent", "rating", "comment", "updated_at"]
    list_select_related = ["persona", "agent"]
    list_filter = ["rating"]
    search_fields = ["persona__slug", "agent__handle", "public_id"]
