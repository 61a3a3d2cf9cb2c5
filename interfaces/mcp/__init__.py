"""The Model Context Protocol at /mcp: requests of the API as tools.

`tools` describe each tool, `serializers` declare its arguments, `tool` and `api` send its request,
and `server` speaks the protocol, through the official SDK.
"""
