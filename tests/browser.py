"""The browsers of staff and members, and the forms on their pages, submitted as a browser would."""

from html.parser import HTMLParser

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client


def logged_in(user):
    """A client in which the user is logged in.

    It has the session of `force_login`, which takes 16 statements because it makes it twice and
    records the log-in.
    """
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client


class FormReader(HTMLParser):
    """The fields of the page's last POST form, or of the one with this id, as `fields`."""

    def __init__(self, form_id=None):
        super().__init__()
        self.form_id = form_id
        self.fields = {}
        self.inside = False
        self.select = self.textarea = None

    def handle_starttag(self, tag, attributes):
        field = dict(attributes)
        name = field.get("name")
        if tag == "form" and self.is_wanted(field):
            self.inside, self.fields = True, {}
        elif self.inside and tag == "input" and name:
            self.read_input(field)
        elif self.inside and tag == "textarea":
            self.textarea, self.text = name, ""
        elif self.inside and tag == "select":
            self.select = name
        elif tag == "option" and self.select and "selected" in field:
            self.fields.setdefault(self.select, []).append(field["value"])

    def is_wanted(self, form):
        if self.form_id:
            return form.get("id") == self.form_id
        return form.get("method") == "post" and form.get("id") != "logout-form"

    def read_input(self, field):
        kind = field.get("type", "text")
        if kind in {"checkbox", "radio"}:
            if "checked" in field:
                self.fields.setdefault(field["name"], []).append(field.get("value", "on"))
        elif kind not in {"submit", "button", "file"}:
            self.fields[field["name"]] = as_sent(field.get("value") or "")

    def handle_data(self, data):
        if self.textarea:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "textarea" and self.textarea:
            # A newline directly after the tag is not content.
            self.fields[self.textarea] = as_sent(self.text.removeprefix("\n"))
            self.textarea = None
        elif tag == "select":
            self.select = None
        elif tag == "form":
            self.inside = False


def as_sent(text):
    """Browsers send every newline as CRLF."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")


def untouched_form(page, form_id=None):
    """The data of the page's form; change it and post it to submit what a person edited."""
    reader = FormReader(form_id)
    reader.feed(page.content.decode())
    return reader.fields
