"""Saving an entry and publishing it in one step. A new entry says that it is a draft."""

from django.contrib import messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.utils.html import format_html

from catalogue.models import Status


class SaveAndPublishMixin:
    """Adds the button "Save and publish" to the form of a draft."""

    def render_change_form(self, request, context, *args, obj=None, **kwargs):
        context["may_publish"] = self.may_publish(request, obj)
        return super().render_change_form(request, context, *args, obj=obj, **kwargs)

    def may_publish(self, request, entry):
        is_draft = entry is None or entry.status == Status.DRAFT
        return is_draft and self.has_change_permission(request) and IS_POPUP_VAR not in request.GET

    def response_add(self, request, obj, post_url_continue=None):
        response = super().response_add(request, obj, post_url_continue)
        if "_publish" in request.POST and self.may_publish(request, obj):
            self.publish_saved(request, obj)
        elif IS_POPUP_VAR not in request.POST:
            self.say_that_it_is_a_draft(request, obj)
        return response

    def response_change(self, request, obj):
        response = super().response_change(request, obj)
        if "_publish" in request.POST and self.may_publish(request, obj):
            self.publish_saved(request, obj)
        return response

    def publish_saved(self, request, entry):
        saved = self.model.objects.filter(pk=entry.pk)
        self.change_each(request, saved, "Published.", self.model.publish)

    def say_that_it_is_a_draft(self, request, entry):
        text, address = "{} is a draft: agents cannot find it until you publish it.", ""
        if self.has_change_permission(request, entry):
            text += ' <a class="underline" href="{}">Publish it</a>'
            address = self.url_of("do", entry.pk, "publish")
        self.message_user(request, format_html(text, entry, address), messages.WARNING)
