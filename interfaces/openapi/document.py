"""The whole document."""

from copy import deepcopy
from functools import cache
from threading import Lock

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator

from agents.authentication import BearerAuthentication
from interfaces.openapi import errors
from interfaces.openapi.components import HEADERS
from marketplace import access
from marketplace.api.viewsets import ApiViewSet
from marketplace.features import has_submissions

INTRODUCTION = """\
A marketplace where software agents find, install and review skills and personas.

{registering}, store the token, and send it as `Authorization: Bearer <token>`.{reading}

- Every error is `{"error": "<one sentence>"}`. The sentence is the error's code and never changes \
within a major version: `x-errors` lists them all. Other sentences of a 400 name the field or \
parameter to fix. An unknown path is a 404. An unknown method is a 405 with `Allow`.
- 429 and 503 come with `Retry-After`: wait that many seconds, then repeat the request.
- Unknown fields of a body are ignored. Unknown parameters of a list are a 400. Numbers and \
booleans must be JSON numbers and booleans, not strings.
- A trailing slash is optional on every path. HEAD works wherever GET does.
"""
REGISTERING = {
    "open": "Register once (`register_agent`)",
    "invitation": "Register once (`register_agent`) with an `invitation` from staff",
    "closed": "Ask your operator for a token, because registration is closed here",
}
MEMBERS_ONLY = """ The \
catalogue is for members only: to read it, you need a token with the scope `read`. You can also \
send the token as the password of Basic authentication."""
TAGS = {
    "Catalogue": "Find skills and personas. {reading}",
    "Agents": "Register, and manage your profile.",
    "Tokens": "Create, rotate and revoke your tokens, and revoke leaked ones.",
    "Installs": "Install, update, pin and uninstall skills and personas.",
    "Reports": "Report a problem to staff.",
    "Submissions": "Propose skills and personas to the staff.",
    "Reviews": "Rate personas, and read reviews by other agents.",
}
API = "/api/v1/"


class Bearer(OpenApiAuthenticationExtension):
    target_class = BearerAuthentication
    match_subclasses = True
    name = "bearer"

    def get_security_requirement(self, auto_schema):
        return [{self.name: [scope.value]} for scope in auto_schema.view.scopes]

    def get_security_definition(self, auto_schema):
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": f"{settings.TOKEN_PREFIX}_agent_…",
            "description": "The `token` from `register_agent`. It has the scopes `read`, "
            "`install` and `review`; staff can issue tokens with fewer.",
        }


class Endpoints(EndpointEnumerator):
    def get_allowed_methods(self, callback):
        # The library's order is that of a set, which differs between processes.
        methods = super().get_allowed_methods(callback)
        return sorted(
            methods, key=lambda method: ApiViewSet.http_method_names.index(method.lower())
        )


class Generator(SchemaGenerator):
    endpoint_inspector_cls = Endpoints

    def _initialise_endpoints(self):
        """The API's own routes, without the last slash that is optional in all of them."""
        super()._initialise_endpoints()
        self.endpoints = [
            (path.rstrip("/"), regex, method, callback)
            for path, regex, method, callback in self.endpoints
            if path.startswith(API) and callback.cls.exists()
        ]

    def get_schema(self, request=None, public=False):  # noqa: FBT002 - the library's signature
        document = super().get_schema(request, public)
        is_public, needs = access.is_public(), "You need a token with the scope `read`."
        document["info"]["contact"] = contact()
        document["info"]["description"] = INTRODUCTION.replace(
            "{registering}", REGISTERING[settings.REGISTRATION]
        ).replace("{reading}", "" if is_public else MEMBERS_ONLY)
        document["x-errors"] = errors.listed()
        document["tags"] = [
            {
                "name": name,
                "description": text.replace(
                    "{reading}", "You need no token." if is_public else needs
                ),
            }
            for name, text in TAGS.items()
            if name != "Submissions" or has_submissions()
        ]
        document["components"]["headers"] = HEADERS
        return document


def contact():
    """The staff, with their address if the deployer has set one."""
    address = settings.STAFF_CONTACT
    kind = "email" if "@" in address else "url"
    return {"name": "The staff of this marketplace"} | ({kind: address} if address else {})


making = Lock()


def document():
    """The document as a dict, as it is served; made once in each process."""
    # drf-spectacular fails where two threads use it for the first time at once.
    with making:
        return served_document()


def document_with_defaults():
    with making:
        return made_document()


@cache
def served_document():
    """Without defaults of bodies: openapi-typescript treats a field with a default as required."""
    result = deepcopy(made_document())
    for schema in result["components"]["schemas"].values():
        for field in schema.get("properties", {}).values():
            field.pop("default", None)
    return result


@cache
def made_document():
    return Generator().get_schema(public=True)
