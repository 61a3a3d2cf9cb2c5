from types import SimpleNamespace

import pytest

from sources import fetch_child, fetching
from tests.sources.upstreams import RepositoryInMemory, served


def source_of(url, **fields):
    """The fields of a source that a fetch reads."""
    return SimpleNamespace(
        **{"url": url, "ref": "main", "folder": "", "token_variable": ""} | fields
    )


@pytest.fixture
def upstream(settings):
    """A repository, behind an honest server that SOURCE_HOSTS lists."""
    upstream = RepositoryInMemory()
    with served(upstream) as upstream.url:
        settings.SOURCE_HOSTS = [upstream.url.split("/")[2]]
        yield upstream


@pytest.fixture
def fetch(tmp_path):
    """Fetch within this process: `(result, {path: bytes})`."""

    def fetch(url, known_commit="", **fields):
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        order = fetching.order_of(source_of(url, **fields), known_commit)
        result = fetch_child.fetch(order, folder)
        result["folder"] = root = folder / "files"
        paths = [path for path in root.rglob("*") if path.is_file()]
        return result, {str(path.relative_to(root)): path.read_bytes() for path in paths}

    return fetch
