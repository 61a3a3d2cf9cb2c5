import io
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "marketplace.settings")

# libpq reads this for every connection of the web processes, and only for theirs: a request must
# not wait long for a lock or a statement, while a migration or an import may.
os.environ.setdefault(
    "PGOPTIONS",
    "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s",
)

from django.core.wsgi import get_wsgi_application

from marketplace.bodies import MAX_BYTES

django_application = get_wsgi_application()


def application(environ, start_response):
    """Django, which reads a chunked body as empty unless somebody measures it first."""
    if "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower():
        body = environ["wsgi.input"].read(MAX_BYTES + 1)
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
    return django_application(environ, start_response)
