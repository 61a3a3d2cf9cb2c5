"""The Model Context Protocol at /mcp: requests of the API as tools.

`tools` describe each tool, `operations` says what its arguments are, `tool` and `api` send its
request. `authentication` refuses tokens. `server` responds to the messages whose form `protocol`
checks; `skills` are its resources, and personas its `prompts`.
`server_json` is for registries.
"""
