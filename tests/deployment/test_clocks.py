"""A host whose clock differs from the database's."""

import pytest

from tests.live import LiveServer
from tests.processes import is_within


@pytest.mark.slow
def test_a_wrong_clock_is_logged_at_the_start(transactional_db, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import time\nright = time.time\ntime.time = lambda: right() - 7200\n"
    )
    warning = "the clock of this host is 7200 seconds behind that of the database"
    with LiveServer(tmp_path / "log", {"PYTHONPATH": str(tmp_path)}, ready="/healthz") as server:
        assert is_within(60, lambda: warning in server.log.read_text())
