"""The pages of an admin beside Django's own."""

from collections.abc import Callable
from typing import NamedTuple

from django.core.exceptions import PermissionDenied
from django.urls import path


class AdminPage(NamedTuple):
    """A page of an admin: where it is, who may open it, and its button.

    The view gets the admin, the request and what the route captures. It is for staff with all of
    the `permissions`. They see the button above the list or, if the route captures an `object_id`,
    above that row.
    """

    route: str
    name: str
    view: Callable
    permissions: tuple = ("view",)
    button: str = ""

    def is_open(self, model_admin, request):
        return all(
            getattr(model_admin, f"has_{permission}_permission")(request)
            for permission in self.permissions
        )

    def path(self, model_admin):
        def view(request, **captured):
            if not self.is_open(model_admin, request):
                raise PermissionDenied
            return self.view(model_admin, request, **captured)

        wrapped = model_admin.admin_site.admin_view(view)
        return path(self.route, wrapped, name=model_admin.url_name(self.name))

    @property
    def is_of_row(self):
        return "object_id" in self.route
