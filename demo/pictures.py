"""The pictures of the README: the start page of the running demo, light and dark.

python -m demo.pictures     writes docs/pictures/ (make pictures); start `make demo` first

It needs Debian's chromium.
"""

import os
import shutil
import sys

from playwright.sync_api import Error, sync_playwright

from demo.postgres import CHECKOUT

FOLDER = CHECKOUT / "docs" / "pictures"
URL = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/"
SIZE = {"width": 1280, "height": 800}


def main():
    chromium = shutil.which("chromium") or sys.exit("Install chromium first.")
    # Chromium's sandbox refuses the superuser.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=options)
        for scheme in ("light", "dark"):
            page = browser.new_page(
                viewport=SIZE, color_scheme=scheme, reduced_motion="reduce", locale="en-GB"
            )
            try:
                page.goto(URL, wait_until="networkidle")
            except Error as error:
                sys.exit(f"Start the demo first; {URL} says: {error.message.splitlines()[0]}")
            page.screenshot(path=FOLDER / f"start-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
