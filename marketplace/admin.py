from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User

from marketplace.adminsite import theme

admin.site.unregister([User, Group])


@admin.register(User)
class StaffUserAdmin(UserAdmin, theme.ModelAdmin):
    form = theme.UserChangeForm
    add_form = theme.UserCreationForm
    change_password_form = theme.AdminPasswordChangeForm


@admin.register(Group)
class StaffGroupAdmin(GroupAdmin, theme.ModelAdmin):
    pass
