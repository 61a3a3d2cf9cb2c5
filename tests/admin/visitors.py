"""A member of staff in a real browser."""

from tests.chromium import SCREENS, SIZES, Visitor


class StaffVisitor(Visitor):
    """A member of staff, whose pages everybody can use."""

    serious_violations = None

    def look(self, name):
        """Note what is hard to read or to reach on the page, on any of SCREENS."""
        for size, scheme in reversed(SCREENS):  # the walk goes on with the first
            width, height = SIZES[size]
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.emulate_media(color_scheme=scheme)
            violations = self.serious_violations(self.page)
            self.errors += [(name, size, *violation) for violation in violations]

    def log_in(self, led_to=None):
        self.open("/admin/login/")
        self.page.fill("#id_username", "clerk")
        self.page.fill("#id_password", "right-password")
        self.press("Log in")
        assert self.page.url == (led_to or f"{self.url}/admin/")

    def api(self, path, **options):
        return self.server.request("GET", f"/api/v1/{path}", **options)
