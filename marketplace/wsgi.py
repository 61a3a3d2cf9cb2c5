import io
import os
import re

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")

# libpq reads this for every connection of the web processes, and only for theirs: a request must
# not wait long for a lock or a statement, while a migration or an import may.
os.environ.setdefault(
    "PGOPTIONS",
    "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s",
)

from django.core.wsgi import get_wsgi_application
from django.utils.http import parse_header_parameters

from marketplace.api.parsers import MAX_BYTES
from marketplace.http_cache.store import fresh_response

CHARSET = re.compile(r"[\w.:-]{0,40}", re.ASCII)
django_application = get_wsgi_application()


def application(environ, start_response):
    """Django, spared what is known already, and two things that it does not expect of a request."""
    measure_chunked_body(environ)
    cached = fresh_response(environ)
    if cached is not None:
        return cached.to_wsgi(environ, start_response)
    blank_unreadable_content_type(environ)
    answer = django_application(environ, start_response)
    if environ["REQUEST_METHOD"] != "HEAD":
        return answer
    # Django leaves the body to the server, and gunicorn drops it with a warning in the log.
    answer.close()
    return []


def measure_chunked_body(environ):
    """Django reads a chunked body as empty, because nobody has said how long it is."""
    if "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower():
        chunks = environ["wsgi.input"]
        body = chunks.read(MAX_BYTES + 1)
        # gunicorn's own mark for a connection not to be kept: what follows was never looked at,
        # and must not be answered as if it were the next request.
        chunks.failed = len(body) > MAX_BYTES
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))


def blank_unreadable_content_type(environ):
    """Django parses the Content-Type of every request before any middleware could catch it.

    Then it looks for the charset, which fails for a NUL, and Python remembers every unknown name.
    """
    try:
        _, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        is_readable = CHARSET.fullmatch(parameters.get("charset", ""))
    except (ValueError, TypeError):
        is_readable = False
    if not is_readable:
        environ["CONTENT_TYPE"] = "unreadable"
