"""The API described in OpenAPI 3.1, from the code that serves it.

drf-spectacular walks the routes (`document`) and asks for each operation (`schema`). A view says
with `extend_schema` what its code does not; scopes, rate limits, parameters and request bodies come
from the code (`parameters`, `request_bodies`), and examples are made of those of the fields. A test
compares every response of the test suite with the result.
"""
