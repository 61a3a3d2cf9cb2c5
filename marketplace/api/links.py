from django.conf import settings


def base_url(request):
    """What every complete URL in a response begins with: PUBLIC_URL, or else what was requested."""
    return settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"
