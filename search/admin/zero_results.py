from django.contrib import admin

from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin
from search.models import ZeroResultSearch


@admin.register(ZeroResultSearch)
class ZeroResultSearchAdmin(ReadOnlyModelAdmin):
    """Searches that found nothing, which show what the catalogue lacks."""

    menu = MenuItem("Catalogue", 14, "search_off")
    list_display = fields = ["text", "kind", "searches", "last_searched_at"]
    list_filter = ["kind"]
    search_fields = ["text"]  # see `find`
    search_help_text = "A part of the text"
    sortable_by = ["searches"]

    def find(self, queryset, term):
        # At most MAX_ROWS of search/zero_results.py.
        return queryset.filter(text__contains=term.lower())

    def rankings(self, request):
        return [
            {
                "title": "Searches without results",
                "rows": [
                    (
                        search.text,
                        f"{search.searches:,} for {search.get_kind_display().lower()}",
                        self.url_of("change", search.pk),
                    )
                    for search in ZeroResultSearch.objects.all()[:8]
                ],
                "all": self.url_of("changelist"),
            }
        ]
