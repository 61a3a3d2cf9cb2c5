"""The Model Context Protocol at /mcp: requests of the API as tools.

`tools` describes each tool, `serializers` declare its arguments, `api` sends its request, and
`server` speaks the protocol, through the official SDK.
"""
