from django.conf import settings


def base_url(request):
    """The beginning of every complete URL in a response: PUBLIC_URL, or the requested host."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"
