from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http.request import split_domain_port, validate_host

LOOPBACK = [".localhost", "127.0.0.1", "[::1]"]
DEFAULT_PORTS = {"http": "80", "https": "443"}


class HostMiddleware:
    """Refuses a `Host` that is not in ALLOWED_HOSTS, or whose port must not be in links.

    Links begin with the `Host`, and an edge may keep them for everyone. Without PUBLIC_URL, the
    public port is unknown, so only the scheme's own port is accepted. The machine itself may also
    use the port that the server listens on.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        host = request.get_host()
        if not settings.PUBLIC_URL and has_other_port(host, request):
            raise DisallowedHost(
                f"Invalid HTTP_HOST header: {host!r} names a port. If that is the port of the "
                "public address, set PUBLIC_URL to that address."
            )
        return self.get_response(request)


def has_other_port(host, request):
    domain, port = split_domain_port(host)
    ports = {"", DEFAULT_PORTS[request.scheme]}
    if validate_host(domain, LOOPBACK) or "*" in settings.ALLOWED_HOSTS:
        ports.add(request.META["SERVER_PORT"])
    return port not in ports
