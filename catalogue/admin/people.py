"""Beside an event of the audit trail: the staff who may do the same to an entry."""

from django.contrib import admin
from django.contrib.auth.models import User
from django.utils.text import get_text_list

from audit.models import AuditEvent
from catalogue.models import Persona, Skill
from marketplace.adminsite.base import link_to
from marketplace.adminsite.roles import permission_to, staff_with


def people_panel(_admin, request, event):
    """All of them, not only the newest: staff are few."""
    kinds = {event.object_kind, *(text.split()[0] for text in event.details.get("also", []))}
    models = [model._meta for model in (Skill, Persona) if model._meta.model_name in kinds]
    if event.actor_kind != AuditEvent.Actor.STAFF or not models:
        return None
    names = get_text_list([str(options.verbose_name_plural) for options in models], "and")
    people = staff_with(*(permission_to("change", options) for options in models))
    role = admin.site.get_model_admin(User).role
    return {
        "title": f"Staff who may change and recall {names}",
        "rows": [
            (user, role(user), link_to(request, "auth.user", user.pk))
            for user in people.prefetch_related("groups")
        ],
    }


admin.site.get_model_admin(AuditEvent).extend(panels=[people_panel])
