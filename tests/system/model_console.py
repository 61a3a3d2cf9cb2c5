"""Pages of the model test: the claim page and the operator's console, as a browser sees them."""

import re
from html import unescape
from urllib.parse import urlsplit

from tests.system.matchers import Interval, differences
from tests.system.model_data import UNKNOWN
from tests.system.model_operated import overview
from tests.system.staff import Browser

EMAIL = "ada@example.com"
WRONG_CODE = "BBBB-BBBB"


def one(pattern):
    """Reads the pattern's match on a page, or None."""
    return lambda text: next(iter(every(pattern)(text)), None)


def every(pattern):
    return lambda text: [unescaped(match) for match in re.findall(pattern, text)]


def unescaped(match):
    return [unescape(text) for text in match] if isinstance(match, tuple) else unescape(match)


# The patterns that read a page. Their names on an agent's page are those of `overview`.
AGENT_PAGE = {
    "state": one(r'<dt>State</dt><dd>(?:<b class="deprecated">)?([\w ]+)'),
    "next": one(r'href="/operator/agents/[^/]+/(pause|resume)"'),
    "claimed by": one(r"<dt>Claimed</dt><dd>[^<]+ by <bdi>(.*?)</bdi>"),
    "tokens": every(r'/revoke-token/(\w+)"'),
    "hints": every(r"<code>(mkt_agent_[^<]+)</code>"),
    "skills": every(r'/remove-skill/([^"]+)"'),
    "personas": every(r'/remove-persona/([^"]+)"'),
    "versions": every(
        r's/([^"]+)">[^<]+</a>[^\n]*\n<span>version (\d+)(?: \([^)<]*\))?(, pinned)?'
        r"(?:, <b[^>]*>recalled</b>)?(?:; (update))?"
    ),
    "active": one(r"<code>([^<]+)</code> <b>active</b>"),
    "advisories": every(
        r"staff have (withdrawn|recalled version \d+ of|recalled) the (\w+) (?:<a [^>]*>)?"
        r"<code>([^<]+)</code>"
    ),
    "updates": every(r'href="/(\w+)s/([^"]+)">[^<]+</a></span> <span>(?:version [^<]*, )?changed'),
    "reviews": every(r'href="/personas/([^"]+)">[^<]+</a> ([0-9.]+) of 5'),
    "limits": every(r'<th scope="row">([^<]+)</th><td>(\d+)</td><td>([^<]+)</td>'),
}
AGENTS_PAGE = {"agents": every(r'<th scope="row"><a href="/operator/agents/([^/"]+)">')}
CLAIM_PAGE = {
    "code": one(r'id="code">([A-Z-]+)<'),
    "key": one(r'<pre id="key" tabindex="0"><code>([^<]+)<'),
    "claimed by": one(r"(?:>|^)([^<>\n]*) claimed this agent on \d"),
}
TOKEN_PAGE = {"token": one(r'<pre id="token" tabindex="0"><code>([^<]+)<')}
# The statuses that a run at full length must have seen.
REACHED_PAGES = {
    "claim_page": {200, 302, 400, 404},
    "log_in": {302, 400},
    "operated_agents": {200},
    "operated_agent": {200, 302, 404},
    "another's console": {404},  # and 302, which few runs draw: the key has ended
    "console: issue-token": {302, 400},
    "issued token": {200},
    "console: limits": {302, 400},
    "console: revoke-tokens": {302},  # and 404, which few runs draw: it has none
    **{f"console: {action}": {302} for action in ("pause", "resume", "new-claim-url", "release")},
    **{
        f"console: {action}": {302, 404}
        for action in ("revoke-token", "remove-skill", "remove-persona")
    },
    **{
        f"console: {action}-{kind}": {302, 404}
        for action in ("pin", "unpin", "update")
        for kind in ("skill", "persona")
    },
    **{f"console: {action}-all": {302} for action in ("pin", "unpin", "update")},
}


class ComparedPages:
    """For the test's machine. `model` says what each page must show."""

    def __init__(self):
        super().__init__()
        self.consoles = {}  # key -> the signed-in browser

    # The claim page

    def ask(self, agent, name, key=None):
        """Request a code, perhaps with the text of an existing key.

        Returns the model's code, or None if it is refused.
        """
        claim, url, browser = agent.claim, path_of(agent.claim.url), Browser(self.server)
        claimed_by = claim.confirmed and claim.confirmed.name
        page = browser.get(url)
        form = {"code": None, "key": None, "claimed by": claimed_by}
        self.see("claim_page", 200, page, form, CLAIM_PAGE)
        request = self.model.request_code(agent, name, key)
        page = browser.post(
            url, browser.form(page) | {"name": name, "email": EMAIL, "key": key or ""}
        )
        if request is None:
            self.see("claim_page", 400, page, form, CLAIM_PAGE)
        else:
            new_key = None if key else request.key.text
            expected = {"code": request.code, "key": new_key, "claimed by": None}
            self.see("claim_page", 302, page)
            self.see("claim_page", 200, browser.get(url), expected, CLAIM_PAGE)
        self.check(agents=[agent])
        return request

    def burn(self, token):
        """Try wrong codes until even the right one is refused."""
        for _ in range(5):
            self.act("confirm_claim", {"code": WRONG_CODE}, token)
        codes = [str(code.code) for code in token.agent.claim.waiting] or [""]
        for code in codes:
            self.act("confirm_claim", {"code": code}, token)

    def claim(self, token, key=None):
        self.ask(token.agent, "Ada Lovelace", key)
        self.act("confirm_claim", {"code": str(token.agent.claim.waiting[-1].code)}, token)

    # The console

    def log_in(self, key):
        """Open the console with a key, in a new browser."""
        browser = Browser(self.server)
        page = browser.submit("/operator", key=str(key.text))
        self.see("log_in", 302 if key.opens else 400, page)
        if key.opens:
            self.consoles[key] = browser

    def look(self, key):
        """The list of the agents of a key, and the page of each."""
        own = self.model.agents_of(key)
        expected = {"agents": sorted(str(agent.handle) for agent in own)}
        self.see("operated_agents", 200, self.consoles[key].get("/operator"), expected, AGENTS_PAGE)
        for agent in own:
            self.open_agent(key, agent)

    def open_agent(self, key, agent):
        page = self.consoles[key].get(f"/operator/agents/{agent.handle}")
        if not key.opens:
            self.see("operated_agent", 302, page)
        elif agent not in self.model.agents_of(key):
            self.see("operated_agent", 404, page)
        else:
            self.see("operated_agent", 200, page, overview(agent), AGENT_PAGE)

    def operate(self, key, action, agent, given):
        """Submit an action on an agent in the console of a key, which may not show the agent."""
        if key not in self.consoles:
            self.log_in(key)
        if key in self.consoles:
            url = agent.claim.url
            self.open_agent(key, agent)
            self.send_form(key, action, agent, given)
            self.open_agent(key, agent)
            self.check_operated(agent, url)

    def operate_installs(self, agent):
        """Each action on an install, for one that the agent has and for one that does not exist."""
        for kind in ("skill", "persona"):
            entries = self.model.entries[f"{kind}s"]
            free = [entry for entry in entries if entry.is_published and not entry.price_cents]
            for entry in free[:1]:
                self.act(f"install_{kind}", {"slug": entry.slug}, agent.tokens[0])
                for action in ("pin", "update", "unpin", "remove"):
                    for slug in (entry.slug, UNKNOWN):
                        key, given = agent.claim.confirmed.key, {"subject": slug}
                        self.operate(key, f"{action}-{kind}", agent, given)

    def send_form(self, key, action, agent, given):
        given = dict(given)
        subject, is_own = given.get("subject"), agent in self.model.agents_of(key)
        home = f"/operator/agents/{agent.handle}"
        path = f"{home}/{action}" + (f"/{subject}" if subject else "")
        browser = self.consoles[key]
        question = browser.get(path)
        form = browser.form(question) or browser.form(browser.get("/operator"))
        self.model.interval = Interval()
        expected = self.model.operate(key, action, agent, given)
        given.pop("subject", None)
        page = browser.post(path, form | given)
        self.see(f"console: {action}" if is_own else "another's console", expected, page)
        if is_own and (action, expected) == ("issue-token", 302):
            token_page = browser.get(page.headers["Location"])
            self.see("issued token", 200, token_page, {"token": agent.tokens[-1].text}, TOKEN_PAGE)
            return
        is_asked = is_own and expected not in {403, 404}
        self.agree("the question", 200 if is_asked else expected, question.status)
        done = "/operator" if action == "release" else home
        leads_to = (
            (done if is_own else f"/operator?agent={agent.handle}") if expected == 302 else None
        )
        self.agree("the way on", leads_to, page.headers["Location"])

    def check_operated(self, agent, url):
        """The agent in the API after an action of its operator or staff."""
        self.check(agents=[agent])
        for operation in ("limits", "list_tokens"):
            self.act(
                operation, token=([t for t in agent.tokens if t.may("read")] or agent.tokens)[-1]
            )
        if agent.claim.url is not url and url.value:
            self.see("claim_page", 404, Browser(self.server).get(path_of(url)))

    def see(self, name, status, page, expected=None, readers=None):
        """Compare the status and the content of a page."""
        self.model.interval.end()
        self.counts["requests"] += 1
        self.counts[name, page.status] += 1
        got = {label: read(page.body.decode()) for label, read in (readers or {}).items()}
        wrong = differences({"status": status, **(expected or {})}, {"status": page.status, **got})
        if wrong:
            self.has_diverged = True
            raise AssertionError(f"{name}: {'; '.join(wrong)}")


def path_of(url):
    return urlsplit(str(url)).path
