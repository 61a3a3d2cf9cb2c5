from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.actions import delete_selected
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef
from django.template.defaultfilters import pluralize
from django.utils.functional import lazy
from django.utils.html import format_html, format_html_join
from django_otp.plugins.otp_totp.models import TOTPDevice

from marketplace import oidc
from marketplace.adminsite import second_factor, theme
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.base import MenuItem, StaffModelAdmin
from marketplace.adminsite.edits import EditForm, EditsMixin
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.adminsite.log_entries import LogEntryAdmin
from marketplace.adminsite.roles import (
    before_and_after,
    in_words,
    names_of,
    permissions_of,
)

admin.site.register(LogEntry, LogEntryAdmin)
# Only the page that sets up a second factor shows its key.
admin.site.unregister([User, Group, TOTPDevice])
# Django logs that it deletes before it does, and each in a transaction of its own.
admin.site.add_action(transaction.atomic(delete_selected), "delete_selected")

NO_ROLE, SEVERAL = "", "several"
PERMISSIONS = "permissions__content_type"


class RoleFormMixin(forms.Form):
    """Picks a role: the user's one group, with which the user may log in."""

    role = forms.ChoiceField(
        required=False,
        widget=theme.Select,
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        groups = Group.objects.order_by("name").prefetch_related(PERMISSIONS)
        self.groups = {str(group.pk): group for group in groups}
        choices = [(NO_ROLE, "None"), *((key, group.name) for key, group in self.groups.items())]
        role = role_of(self.instance) if self.instance.pk else NO_ROLE
        if role == SEVERAL:
            choices.insert(0, (SEVERAL, "Unchanged: several roles, or individual permissions"))
        self.fields["role"].choices = choices
        self.initial["role"] = role
        self.fields["role"].help_text = format_html(
            "Without a role, only a superuser can log in. Changing skills and personas includes "
            "publishing and recalling them. {}",
            format_html_join(
                "",
                '<span class="staff-role"><b>{}</b>: {}</span>',
                ((group.name, in_words(permissions_of(group))) for group in groups),
            ),
        )

    def save(self, **options):
        if self.sets_role:
            has_role = self.cleaned_data["role"] != NO_ROLE
            self.instance.is_staff = has_role or self.instance.is_superuser
        return super().save(**options)

    def _save_m2m(self):
        super()._save_m2m()
        if self.sets_role and "role" in self.changed_data:
            group = self.groups.get(self.cleaned_data["role"])
            self.instance.groups.set([group] if group else [])
            self.instance.user_permissions.clear()

    @property
    def sets_role(self):
        is_changed = {"role", "is_superuser"}.intersection(self.changed_data)
        return is_changed and self.cleaned_data["role"] != SEVERAL


def role_of(user):
    """The key of the user's one group as text, NO_ROLE, or SEVERAL if one role is not enough."""
    groups = [str(pk) for pk in user.groups.values_list("pk", flat=True)]
    if len(groups) > 1 or user.user_permissions.exists():
        return SEVERAL
    [role] = groups or [NO_ROLE]
    is_plain = user.is_superuser or user.is_staff == (role != NO_ROLE)
    return role if is_plain else SEVERAL


def demand():
    """A sentence that names the staff that have to set up a second factor."""
    setting = settings.SECOND_FACTOR
    names = {"off": "Nobody has", "superusers": "Superusers have", "staff": "All staff have"}
    return (
        f"{names[setting]} to set one up, because SECOND_FACTOR={setting}. The deployer can set it "
        "to off, superusers or staff."
    )


class StaffUserForm(EditForm, RoleFormMixin, theme.UserChangeForm):
    class Meta(theme.UserChangeForm.Meta):
        help_texts = {"second_factor": lazy(demand, str)()}


class NewStaffUserForm(RoleFormMixin, theme.UserCreationForm):
    pass


def may_change(user, other):
    """Only superusers change one: whoever sets the password of a superuser is one."""
    return user.is_superuser or other is None or not other.is_superuser


class SecondFactorFilter(ChoiceFilter):
    title, parameter_name = "second factor", "second_factor"
    options = {
        "yes": ("set up", lambda users: users.filter(has_second_factor=True)),
        "no": ("none", lambda users: users.filter(has_second_factor=False)),
    }


@admin.register(User)
class StaffUserAdmin(UserAdmin, StaffModelAdmin):
    menu = MenuItem("Staff", 40, "group")
    form = StaffUserForm
    add_form = NewStaffUserForm
    change_password_form = theme.AdminPasswordChangeForm
    list_display = [
        *("username", "role", "first_name", "last_name", "email", "is_active"),
        "second_factor",
    ]
    sortable_by = ["username"]
    list_filter = ["is_superuser", "is_active", "groups", SecondFactorFilter]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Access", {"fields": ["role", "is_superuser", "is_active", "second_factor"]}),
        ("Name", {"fields": ["first_name", "last_name", "email"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (None, {"fields": ["username", "usable_password", "password1", "password2", "role"]})
    ]
    readonly_fields = ["second_factor", "last_login", "date_joined"]
    actions = ["remove_second_factor"]
    # Users are few: Django's own search may read them all.
    get_search_results = UserAdmin.get_search_results
    user_change_password = transaction.atomic(UserAdmin.user_change_password)

    def get_readonly_fields(self, request, obj=None):
        fields = super().get_readonly_fields(request, obj)
        if obj and obj.get_username().startswith(oidc.USERNAME_PREFIX):
            fields = [*fields, "username"]
        # Only a superuser appoints another one, as Django recommends.
        return fields if request.user.is_superuser else [*fields, "is_superuser"]

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and may_change(request.user, obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and may_change(request.user, obj)

    def get_queryset(self, request):
        factors = TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)
        users = super().get_queryset(request).prefetch_related("groups")
        return users.annotate(
            has_second_factor=Exists(factors),
            recovery_codes=Count("totpdevice__recovery_codes", distinct=True),
        )

    def save_form(self, request, form, change):
        form.roles_before = names_of(User.objects.get(pk=form.instance.pk)) if change else []
        return super().save_form(request, form, change)

    def differences(self, form):
        change = before_and_after(form.roles_before, names_of(form.instance))
        return [*super().differences(form), *filter(None, [change])]

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        if not form.instance.is_staff:
            text = f"{form.instance} has no role, and so cannot log in here."
            self.message_user(request, text, messages.WARNING)

    def second_factor(self, user):
        if not user.has_second_factor:
            return "none"
        return f"set up, {user.recovery_codes} recovery code{pluralize(user.recovery_codes)}"

    def role(self, user):
        if user.is_superuser:
            return "may do everything"
        return ", ".join(group.name for group in user.groups.all()) or "none"

    def has_remove_second_factor_permission(self, request):
        return request.user.is_superuser

    @confirmed_action(
        "Remove the second factor",
        permissions=["remove_second_factor"],
        danger=True,
        text="For a user who has lost the app. Open sessions end. The next log-in needs only the "
        "password, and asks for a new second factor if one is required. If somebody else may know "
        "the password, change it first.",
        refusal="None of these has a second factor.",
    )
    @offered_to(lambda user: user.has_second_factor)
    def remove_second_factor(self, request, queryset):
        self.change_each(request, queryset, "Removed the second factor.", second_factor.remove)


@admin.register(Group)
class StaffGroupAdmin(EditsMixin, GroupAdmin, theme.ModelAdmin):
    menu = MenuItem("Staff", 41, "shield_person")
    form = EditForm

    def save_form(self, request, form, change):
        form.permissions_before = self.permissions(form.instance) if change else set()
        return super().save_form(request, form, change)

    def differences(self, form):
        before, after = form.permissions_before, self.permissions(form.instance)
        changes = {"Granted": after - before, "Withdrew": before - after}
        return super().differences(form) + [
            f"{verb} {', '.join(sorted(names))}." for verb, names in changes.items() if names
        ]

    def permissions(self, group):
        """Those that are stored, in a fixed number of queries."""
        return permissions_of(Group.objects.prefetch_related(PERMISSIONS).get(pk=group.pk))
