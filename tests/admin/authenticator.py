"""Log-ins of staff with an authenticator app."""

import re
from base64 import b32decode
from concurrent.futures import ThreadPoolExecutor

from django.contrib import admin
from django.db import connection
from django.test import Client
from django_otp.oath import totp

LOGIN, PAGE = "/admin/login/", "/admin/second-factor/"
CODES = f"{PAGE}recovery-codes/"
SKILLS = "/admin/catalogue/skill/"
REFUSED = "Wrong or used. Wait for the next code, and enter that one."
OPEN_TO_ALL = {LOGIN, PAGE, "/admin/logout/"}


def code_of(key, step=0):
    """The code that an app shows now, or as many steps of 30 seconds later."""
    return f"{totp(key, drift=step):06}"


def log_in(user, address="/admin/"):
    """A browser that has sent the right password, and the response."""
    browser = Client()
    fields = {"username": user.username, "password": "right-password", "next": address}
    response = browser.post(LOGIN, fields)
    assert (response.status_code, response["Location"]) == (302, address)
    return browser


def enter(browser, code, page=PAGE, **fields):
    return browser.post(page, {"code": code, **fields})


def is_open(browser, address="/admin/"):
    return browser.get(address).status_code == 200


def key_shown(page):
    """The key on the page that sets up a factor, and the same key in its link for phones."""
    text = page.content.decode()
    (key,) = re.findall(r'class="staff-token">([A-Z2-7]{32})<', text)
    assert f"secret={key}" in text
    return b32decode(key)


def admin_paths(patterns=None, prefix="/admin/"):
    """The path of every page of the admin, with 1 for each of its arguments."""
    for pattern in admin.site.urls[0] if patterns is None else patterns:
        path = prefix + re.sub(r"<[^>]+>", "1", str(pattern.pattern))
        if hasattr(pattern, "url_patterns"):
            yield from admin_paths(pattern.url_patterns, path)
        elif not path.endswith("$"):  # a regular expression
            yield path


def at_once(function, *arguments):
    def call(argument):
        try:
            return function(argument)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(arguments)) as threads:
        return list(threads.map(call, arguments))
