"""Requests as authlib reads them."""

from authlib.oauth2 import JsonRequest, OAuth2Request
from authlib.oauth2.rfc6749.requests import JsonPayload, OAuth2Payload


class Parameters(OAuth2Payload):
    """`{name: [values]}` as authlib reads it."""

    def __init__(self, values):
        self.values = values

    @property
    def data(self):
        return {name: values[0] for name, values in self.values.items() if values}

    @property
    def datalist(self):
        return self.values


class OAuthRequest(OAuth2Request):
    """The checked parameters of a request, `{name: [values]}`."""

    def __init__(self, method, parameters):
        # authlib refuses http even on this machine. RequireHttpsMiddleware has decided that.
        super().__init__(method, "https://localhost")
        self.payload = Parameters(parameters)

    @property
    def form(self):
        return self.payload.data


class JsonOAuthRequest(JsonRequest):
    """The checked JSON of a request."""

    def __init__(self, body):
        super().__init__("POST", "https://localhost")
        self.payload = JsonBody(body)


class JsonBody(JsonPayload):
    def __init__(self, data):
        self.body = data

    @property
    def data(self):
        return self.body
