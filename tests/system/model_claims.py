"""The claim page in the model test, as a browser sees it."""

import re
from html import unescape
from urllib.parse import urlsplit

from tests.system.matchers import differences
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


# The patterns that read the page.
CLAIM_PAGE = {
    "code": one(r'id="code">([A-Z-]+)<'),
    "key": one(r'<pre id="key" tabindex="0"><code>([^<]+)<'),
    "claimed by": one(r"(?:>|^)([^<>\n]*) claimed this agent on \d"),
}
# The statuses that a run at full length must have seen.
REACHED_CLAIMS = {"claim_page": {200, 302, 400, 404}}


class ComparedClaims:
    """For the test's machine. `model` says what the page must show."""

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

    def check_released(self, agent, url):
        """The agent in the API after a release."""
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
