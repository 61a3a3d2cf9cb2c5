"""The admin's theme, django-unfold, under Django's own names.

No other module imports unfold: replacing it means changing this file, look.py and the templates.
"""

from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import TextFilter
from unfold.forms import (
    AdminPasswordChangeForm,
    AuthenticationForm,
    UserChangeForm,
    UserCreationForm,
)
from unfold.sites import UnfoldAdminSite as AdminSite
from unfold.widgets import UnfoldAdminFileFieldWidget as FileInput
from unfold.widgets import UnfoldAdminSelectWidget as Select
from unfold.widgets import UnfoldAdminTextareaWidget as Textarea
from unfold.widgets import UnfoldAdminTextInputWidget as TextInput
from unfold.widgets import UnfoldBooleanWidget as CheckboxInput
