"""The API described in OpenAPI 3.1, from the code that serves it.

drf-spectacular walks the routes (`document`) and asks for each operation (`schema`). Scopes,
limits, parameters and bodies come from the views (`parameters`, `bodies`). What no code says is
added: names, words and answers of each operation (`operations`), the shapes of answers
(`components`), real requests and answers (`examples.json`).
A test compares every answer of the test suite with the result.
"""
