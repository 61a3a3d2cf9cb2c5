"""Right and wrong uses of operator keys and sessions in the scene of test_secrets."""

import re
from urllib.parse import quote

from tests.system import misplaced_secrets as misplaced
from tests.system.staff import Browser

CODE = re.compile(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}")
TOKEN = re.compile(r"mkt_agent_[0-9A-Za-z]{38}")
KEY = re.compile(r"mkt_operator_[0-9A-Za-z]{38}")
ADA = {"name": "Ada Lovelace", "email": "ada@example.com"}
HOME = "/operator/agents/user"
ACTIONS = ["pause", "resume", "limits", "issue-token", "revoke-tokens", "release"]


class Operator(Browser):
    """A browser that keeps its pages, except those that show a secret on purpose."""

    def __init__(self, scene):
        super().__init__(scene.server)
        self.scene = scene

    def keep(self, path, response):
        assert response.status < 500, (path, response.body)
        if path.startswith(("/operator", "/claim")):
            self.scene.operator_pages.append((path, response))
        return super().keep(path, response)

    def showing(self, path, **fields):
        """The one page that shows a secret, which is not kept."""
        page = self.shown_once(self.submit(path, **fields))
        self.scene.operator_pages.pop()
        assert page.status == 200, (path, page)
        return page.body.decode()


def claim(scene):
    """Claim an agent with a new key, and another one with the same key."""
    operator, url = Operator(scene), f"/claim/{scene.claim_secrets['claim of user']}"
    page = operator.showing(url, **ADA)
    (code,), (key,) = set(CODE.findall(page)), set(KEY.findall(page))
    scene.secrets |= {"claim code": code.replace("-", ""), "operator key": key}
    token = scene.secrets["token of user"]
    for given, status in (("BBBB-BBBB", 400), (code, 200), (code.lower(), 200)):
        confirm(scene, token, given, status)
    scene.register("second")
    second = f"/claim/{scene.claim_secrets['claim of second']}"
    page = operator.showing(second, **ADA, key=key)
    (code,) = set(CODE.findall(page))
    scene.secrets["second claim code"] = code.replace("-", "")
    confirm(scene, scene.secrets["token of second"], code, 200)
    # Another person requests a code for the first agent, which does not confirm it.
    (scene.secrets["pending key"],) = set(KEY.findall(operator.showing(url, **ADA)))


def confirm(scene, token, code, status):
    response = scene.send("POST", f"{misplaced.ME}/confirm-claim", {"code": code}, token=token)
    assert response.status == status


def operate(scene):
    """Use the console as intended."""
    operator, key = Operator(scene), scene.secrets["operator key"]
    operator.submit("/operator", key=key)
    # The cookie signs the number of a session, which the database has.
    scene.secrets["session"] = operator.cookies["operator"].rpartition(":")[2]
    for path in ("/operator", "/operator/end-sessions", *(f"{HOME}/{name}" for name in ACTIONS)):
        assert operator.get(path).status == 200
    page = operator.showing(f"{HOME}/issue-token", name="laptop")
    (scene.secrets["token of the console"],) = TOKEN.findall(page)
    token_id = re.search(r"/revoke-token/(\w+)", operator.get(HOME).body.decode())[1]
    for action, fields in [
        *(("pause", {}), ("resume", {}), ("limits", {"install": "9"}), ("limits", {"install": ""})),
        (f"revoke-token/{token_id}", {}),
    ]:
        assert operator.submit(f"{HOME}/{action}", **fields).status == 302
        assert operator.get(HOME).status == 200
    return operator


def use_wrongly(scene, operator):
    """Send keys to the wrong places, wrong keys, and invalid cookies."""
    key, claim = scene.secrets["operator key"], scene.claim_secrets["claim of user"]
    cookie, anyone = operator.cookies["operator"], Operator(scene)
    for wrong in (
        f"{key}x",
        key[:-1],
        scene.secrets["pending key"],
        scene.secrets["token of user"],
    ):
        assert anyone.submit("/operator", key=wrong).status == 400
        assert anyone.submit(f"/claim/{claim}", **ADA, key=wrong).status == 400
    for name in ADA:
        assert anyone.submit(f"/claim/{claim}", **ADA | {name: key}).status == 400
    for path in ("/operator", f"/claim/{claim}"):
        assert anyone.post(path, {"key": key, "csrfmiddlewaretoken": key}).status == 403
    for action, name in (("issue-token", "name"), ("issue-token", "scopes"), ("limits", "install")):
        assert operator.submit(f"{HOME}/{action}", **{name: key}).status == 400
    for secret in (key, cookie):
        for template in misplaced.IN_THE_CONSOLE:
            path = template.replace("SECRET", quote(secret))
            for browser in (operator, anyone):
                browser.get(path)
                browser.post(path, browser.form(browser.get("/operator")) | {"key": f"x{secret}"})
        for header in misplaced.CONSOLE_HEADERS:
            value = f"operator={secret}x" if header == "Cookie" else secret
            scene.send("GET", "/operator", headers={header: value})
            scene.send("GET", f"{misplaced.ME}/{quote(secret)}", headers={header: value})
