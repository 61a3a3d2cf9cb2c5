"""The roles of staff in words, and the people who have a permission."""

from collections import defaultdict

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.contrib.auth.models import User
from django.utils.text import capfirst, get_text_list

VERBS = "add", "change", "delete", "view"
BACKEND = "django.contrib.auth.backends.ModelBackend"


def in_words(permissions):
    """The permissions, such as `reports.change_case`, as one sentence for each verb.

    For example "Change cases and reviews. View installs."
    """
    models = defaultdict(list)
    for options in (model._meta for model in admin.site._registry):
        allowed = [verb for verb in VERBS if permission_to(verb, options) in permissions]
        # Whoever changes rows sees them.
        verbs = tuple(verb for verb in allowed if verb != "view") or tuple(allowed)
        if verbs:
            models[verbs].append(str(options.verbose_name_plural))
    return " ".join(
        f"{capfirst(get_text_list(verbs, 'and'))} {get_text_list(sorted(names), 'and')}."
        for verbs, names in sorted(models.items())
    )


def permission_to(verb, options):
    return f"{options.app_label}.{get_permission_codename(verb, options)}"


def permissions_of(group):
    return {
        f"{permission.content_type.app_label}.{permission.codename}"
        for permission in group.permissions.all()
    }


def own_role(user):
    """The names of a user's roles, and what this user may do, for the dashboard."""
    if user.is_superuser:
        return {"name": "superuser", "text": "You may do everything."}
    names = user.groups.order_by("name").values_list("name", flat=True)
    return {"name": " and ".join(names), "text": in_words(user.get_all_permissions())}


def names_of(user):
    """The names of a user's roles, and what else decides what the user may do."""
    return [
        *(["superuser"] if user.is_superuser else []),
        *user.groups.order_by("name").values_list("name", flat=True),
        *(["individual permissions"] if user.user_permissions.exists() else []),
        *([] if user.is_active else ["not active"]),
    ]


def before_and_after(before, after):
    """A sentence for the log about a change of the names, or "" if there is none.

    For example "Roles before: Editors. Roles now: superuser."
    """
    if before == after:
        return ""
    before, after = (", ".join(names) or "none" for names in (before, after))
    return f"Roles before: {before}. Roles now: {after}."


def staff_with(*permissions):
    """Staff who may log in and have all of the permissions; superusers do."""
    users = User.objects.filter(is_staff=True, is_active=True)
    for permission in permissions:
        holders = User.objects.with_perm(permission, backend=BACKEND)
        users = users.filter(pk__in=holders.values("pk"))
    return users.order_by("username")
