"""A person who answers the consent page, and what the answers are."""

import re
from urllib.parse import parse_qsl, urlsplit

from tests.browser import untouched_form
from tests.operators.conftest import OperatorBrowser

CALLBACK = "https://claude.example/api/mcp/auth_callback"
LOOPBACK = "http://127.0.0.1/callback"
ISSUER = "http://testserver"
ORIGIN = {"Origin": ISSUER}
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class ConnectBrowser(OperatorBrowser):
    """The browser of a person whom a client sends to the consent page."""

    def open(self, address):
        """Open the page as the client sends it there: the strict cookie comes with the hop."""
        page = self.get(address)
        return self.get(page.context["address"]) if "address" in (page.context or {}) else page

    def answer(self, address, answer="allow", /, **fields):
        """Fill in the form of the page, and press a button."""
        page = self.open(address)
        return self.send(page, answer, **fields)

    def send(self, page, answer="allow", /, **fields):
        form = untouched_form(page) | {"answer": answer} | fields
        return self.post(page.wsgi_request.get_full_path(), form, headers=ORIGIN)


def parameters_of(response):
    """The callback to which a response leads, and the parameters that it takes there."""
    assert response.status_code == 302, response.content
    url = urlsplit(response["Location"])
    return f"{url.scheme}://{url.netloc}{url.path}", dict(parse_qsl(url.query))


def text_of(page):
    """The words of the page's main part, one space between them."""
    main = page.content.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", main).split())
