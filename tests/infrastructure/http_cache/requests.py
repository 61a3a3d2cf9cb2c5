def environ_of(path, **environ):
    """The WSGI environ of a GET, as far as the cache reads it."""
    return {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "HTTP_HOST": "localhost",
        "wsgi.url_scheme": "http",
        **environ,
    }
