"""Recording what staff do: Django tells of each change that it logs, and of each sign-in."""

from django.conf import settings
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.contrib.contenttypes.models import ContentType
from django.db.models.signals import post_save
from django.dispatch import receiver

from audit.models import AuditEvent
from marketplace.acting import current_act
from marketplace.adminsite import second_factor

BY_FLAG = {ADDITION: "add", CHANGE: "change", DELETION: "delete"}


@receiver(post_save, sender=LogEntry)
def record_change(instance, *, created, **_):
    has_changed = instance.action_flag != CHANGE or instance.change_message not in {"", "[]"}
    act = current_act()
    if created and has_changed:
        AuditEvent.objects.record(
            act.name if act.kind == "command" else action_of(act.request, instance.action_flag),
            kind=ContentType.objects.get_for_id(instance.content_type_id).model,
            names=[instance.object_repr],
            message=instance.get_change_message(),
        )


@receiver(post_save, sender=settings.AUTH_USER_MODEL)
def record_user(instance, *, update_fields, **_):
    """Record users that Django's own commands make or change, such as createsuperuser."""
    act = current_act()
    if act.kind == "command" and update_fields is None:
        AuditEvent.objects.record(act.name, instance)


def action_of(request, flag=CHANGE):
    """The name of the action or of the page that a request to the admin asks for."""
    match = getattr(request, "resolver_match", None)
    if match is None:
        return BY_FLAG[flag]
    # Pages of a model have the names of its app and the model first.
    *model, page = match.url_name.split("_", 2)
    if len(model) < 2:
        return match.url_name
    if act := match.kwargs.get("act"):
        return f"{act}_{page.removeprefix('do_')}"
    action = request.POST.get("action") if page == "changelist" else match.kwargs.get("action")
    return action or page


@receiver(user_logged_in)
def record_log_in(user, **_):
    AuditEvent.objects.record("log_in", user, by=("staff", user.get_username()))


@receiver(second_factor.passed)
def record_second_factor(user, **_):
    """Record the second step of a log-in: until then the session opens nothing."""
    AuditEvent.objects.record("second_factor", user)


@receiver(user_logged_out)
def record_log_out(user, **_):
    if user is not None:
        name = action_of(current_act().request)
        action = name if name == "end_sessions" else "log_out"
        AuditEvent.objects.record(action, user, by=("staff", user.get_username()))


@receiver(user_login_failed)
def record_failure(credentials, **_):
    """Record a wrong password or code. A name that nobody has may be a misplaced password."""
    users = get_user_model().objects
    name = str(credentials.get("username", "")).replace("\0", "")[:150]
    names = users.filter(username=name)[:1]
    AuditEvent.objects.record("log_in_failed", kind="user", names=names, by=("staff", ""))
