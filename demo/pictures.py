"""Takes the README's pictures of the running demo.

python -m demo.pictures URL    (make pictures)
"""

import sys

from playwright.sync_api import sync_playwright

from demo.__main__ import OPERATOR_KEY, kept_secret
from demo.postgres import CHECKOUT

FOLDER = CHECKOUT / "docs/pictures"
SIZE = {"width": 1280, "height": 800}


def start_page(page):
    page.goto("/")


def console(page):
    page.goto("/operator")
    page.fill("[name=key]", OPERATOR_KEY.read_text())
    page.press("[name=key]", "Enter")
    page.wait_for_load_state()


def desk(page):
    page.goto("/admin/submissions/submission/")
    page.fill("[name=username]", "admin")
    page.fill("[name=password]", kept_secret("admin_password"))
    page.press("[name=password]", "Enter")
    page.wait_for_load_state()


PICTURES = [
    (start_page, "start-light", "light"),
    (start_page, "start-dark", "dark"),
    (console, "console", "light"),
    (desk, "desk", "light"),
]


def take(url):
    with sync_playwright() as player:
        chromium = player.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        for go, name, scheme in PICTURES:
            page = chromium.new_page(
                base_url=url, viewport=SIZE, color_scheme=scheme, reduced_motion="reduce"
            )
            go(page)
            page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    take(*sys.argv[1:])
