"""What an agent loads when it starts, from rows of the statement MANIFEST (contract 13.3)."""

from collections import namedtuple

import orjson

from catalogue.agent_md import tools_of

COLUMNS = (
    "kind public_id slug title description version digest number is_pinned "
    "latest_number latest_version latest_digest installed_digest context_tokens "
    "updated_at deprecation_message successor_slug files frontmatter is_installed is_bundled "
    "is_within content"
)


class Row(namedtuple("Row", COLUMNS)):  # noqa: PYI024 - LOADED of sql.py has them in this order
    __slots__ = ()

    @property
    def tools(self):
        return tools_of(self.frontmatter)

    @property
    def is_outdated(self):
        return self.installed_digest not in {None, self.latest_digest}

    @property
    def via(self):
        return ["install"] * self.is_installed + ["persona"] * self.is_bundled


class Manifest:
    """An agent's active `persona`, or None, and its `skills`; on request with their texts."""

    def __init__(self, rows, *, with_content=False):
        self.with_content = with_content
        self.rows = list(map(Row._make, rows))
        self.persona = next((row for row in self.rows if row.kind == "persona"), None)
        self.skills = [
            row._replace(files=orjson.loads(row.files)) for row in self.rows if row.kind == "skill"
        ]

    @property
    def is_truncated(self):
        return self.with_content and not all(row.is_within for row in self.rows)

    @property
    def context_tokens(self):
        return sum(row.context_tokens for row in self.rows)
