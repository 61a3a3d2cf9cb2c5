"""The API described in OpenAPI 3.1, from the code that serves it.

drf-spectacular walks the routes (`document`) and asks for each operation (`schema`). Serializers
declare the fields of requests and responses, each with its JSON Schema and its example. A view says
with `extend_schema` what its code does not; scopes, rate limits and parameters come from the code
(`parameters`). A test compares every response of the test suite with the result.
"""
