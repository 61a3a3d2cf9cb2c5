def base_url(request):
    """Scheme and host of this marketplace, such as `https://marketplace.example.com`."""
    return f"{request.scheme}://{request.get_host()}"
