"""A member of staff in a real browser."""

from tests.chromium import Visitor


class StaffVisitor(Visitor):
    """A member of staff, whose pages everybody can use."""

    serious_violations = None

    def picture(self, name):
        super().picture(name)
        self.errors += [(name, *violation) for violation in self.serious_violations(self.page)]

    def log_in(self, led_to=None):
        self.open("/admin/login/")
        self.page.fill("#id_username", "clerk")
        self.page.fill("#id_password", "right-password")
        self.press("Log in")
        assert self.page.url == (led_to or f"{self.url}/admin/")

    def api(self, path, **options):
        return self.server.request("GET", f"/api/v1/{path}", **options)
