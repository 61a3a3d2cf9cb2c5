"""The demo's source: a repository that a person edits, and the marketplace follows."""

from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from demo.source import FILES, make_repository, served
from tests.interfaces.git.conftest import Git
from tests.sources.conftest import fetch  # noqa: F401


def test_a_commit_of_a_person_is_served(tmp_path, settings, fetch):  # noqa: F811
    folder = tmp_path / "git/skills"
    make_repository(folder)
    texts = {path: text.encode() for path, text in FILES.items()}
    git = Git(tmp_path)
    assert git("status", "--short", "--branch", within=folder) == "## main\n"
    with served(folder) as url:
        settings.SOURCE_HOSTS = [url.split("/")[2]]
        assert fetch(url)[1] == texts
        with pytest.raises(HTTPError, match="403"):
            urlopen(f"{url}/info/refs?service=git-receive-pack")
        (folder / "README.md").write_text("Edited.\n")
        make_repository(folder)  # as the next start does
        person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
        git(*person, "commit", "--quiet", "--all", "--message=Edit", within=folder)
        assert fetch(url)[1] == texts | {"README.md": b"Edited.\n"}
