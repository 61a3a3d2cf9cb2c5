"""Reports of crashes to Sentry, for deployers who set SENTRY_DSN."""

from django.core.exceptions import ImproperlyConfigured

from infrastructure.server.uploads import BodyAwaited
from marketplace.secrets import mask


def start(dsn):
    """Report crashes to Sentry, masked, and without request bodies or values made from them."""
    try:
        import sentry_sdk  # noqa: PLC0415
    except ImportError as error:
        raise ImproperlyConfigured(
            "SENTRY_DSN is set, but sentry-sdk is not installed: pip install 'sentry-sdk~=2.75'."
        ) from error
    try:
        sentry_sdk.init(
            dsn,
            before_send=lambda event, _hint: masked(event),
            max_request_body_size="never",
            include_local_variables=False,
            ignore_errors=[BodyAwaited],
        )
    except sentry_sdk.utils.BadDsn as error:
        raise ImproperlyConfigured(
            "SENTRY_DSN must look like https://key@sentry.example.com/1."
        ) from error
    leave_files_to_the_server()


def leave_files_to_the_server():
    """Keep the SDK from wrapping a response that gunicorn sends as a file.

    gunicorn would read a wrapped file into memory. The SDK does not wrap one with a descriptor.
    """
    from infrastructure.server.gunicorn_internals import FileWrapper  # noqa: PLC0415

    FileWrapper.fileno = lambda wrapper: wrapper.filelike.fileno()


def masked(value):
    """The same value with each text masked, at any depth."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {masked(name): masked(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item) for item in value]
    return value
