"""Which tests run, and in which order (pytest's option -p)."""

import gc
import re
from contextlib import suppress
from importlib import import_module

import pytest
from django.conf import settings

# The longest run first, then the long ones, so that no process works alone at the end.
LONGEST = re.compile(
    r"interfaces/test_(mcp_skills_clients|examples)|git/test_(recalls_reach|large)|admin/test_walk"
    r"|deployment/test_(add|demo|image|reloads)|operators/test_console_walk"
    r"|system/test_(cluster|followed|model)"
)
LONG = re.compile(
    r"system/|access/test_members_walk|admin/test_(lists|permissions)|test_hostile_input"
    r"|deployment/test_(bounds|deploy|protocol|slow|worker)"
    r"|interfaces/(test_(docs_page|pages_walk)|git/test_git_clients)"
)


def pytest_itemcollected(item):
    """Mark the tests that ask for a server; those that start other processes say so themselves."""
    if {"shared_servers", "own_server_of", "plain_server_of"} & set(item.fixturenames):
        item.add_marker("servers")
    # The small application of a plain server knows no modes.
    if "worker_class" in item.fixturenames and "plain_server_of" not in item.fixturenames:
        item.add_marker("both_modes")


def import_a_part_first(config):
    """Let each process of a whole run import another part of the tests before it collects all.

    In a new checkout, the first import rewrites the assertions of a file and stores the result.
    Processes that import in one order would all rewrite every file, which takes half of their
    collection.
    """
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args != config.getini("testpaths"):
        return
    files = sorted(config.rootpath.glob("tests/**/test_*.py"))
    for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # the collection reports them
            import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Nothing becomes garbage here, and looking for it took a sixth of the time."""
    gc.disable()
    try:
        import_a_part_first(session.config)
        return (yield)
    finally:
        # Imports and tests stay until the end. Looking for garbage took a tenth of the tests' time.
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if settings.PLAIN:
        for item in items:
            if item.get_closest_marker("infrastructure"):
                item.add_marker(pytest.mark.skip(reason="PLAIN=1 runs without it"))
    items.sort(key=lambda item: [not first.search(item.nodeid) for first in (LONGEST, LONG)])
