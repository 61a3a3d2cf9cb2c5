"""The Model Context Protocol at /mcp: requests of the API as tools.

`tools` describe each tool, `operations` says what its arguments are, `tool` and `api` send its
request, and `server` speaks the protocol, through the official SDK.
"""
