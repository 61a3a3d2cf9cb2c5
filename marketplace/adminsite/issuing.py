"""A new secret is shown once: on the page of its row, to the person who issued it."""

from django.shortcuts import redirect
from django.utils.cache import add_never_cache_headers

from marketplace.adminsite.pages import AdminPage
from marketplace.shown_once import redirect_to_show, shown_once


class IssuedMixin:
    def show_issued(self, request, row):
        """Redirect to the page that shows the `text` of the row."""
        return redirect_to_show(self.url_of("issued", row.pk), text=row.text, user=request.user.pk)

    def issued_view(self, request, object_id):
        row, issued = self.get_row_or_404(request, object_id), shown_once(request)
        if issued.get("user") != request.user.pk:
            return redirect(self.url_of("change", row.pk))
        title = f"A new {self.opts.verbose_name.removeprefix('agent ')}"
        context = {"row": row, "text": issued["text"]}
        response = self.page(request, "admin/issued.html", title, **context)
        add_never_cache_headers(response)
        return response

    # For the person who issued it alone, whatever the permissions.
    issued_pages = [AdminPage("<path:object_id>/issued/", "issued", issued_view, ())]
