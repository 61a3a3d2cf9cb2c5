"""A repository that the demo serves on loopback and follows: edit, commit, and see the page."""

import os
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import psycopg
from dulwich import porcelain
from dulwich.repo import Repo
from dulwich.server import Backend
from dulwich.web import make_wsgi_chain

NAME = "demo-skills"
PERSON = b"The demo <demo@localhost>"
SKILL = """\
---
name: standup-summary
description: Summarizes what a team said in a standup. Use it on notes or a transcript.
license: MIT
---

# Standup summary

1. List what is done, what is next, and what blocks somebody, each with a name.
2. Put blockers first.
3. Leave out everything else.
"""
README = "Edit a skill, commit it, and look at its page in the marketplace a minute later.\n"
# Run by manage.py shell.
CREATE = (
    "from sources.models import Source; "
    "Source.objects.create(name={name!r}, url={url!r}, review='git', every_minutes=1)"
)
NO_PUSHES = {b"git-receive-pack": None}
FILES = {"README.md": README, "skills/standup-summary/SKILL.md": SKILL}


class OneRepository(Backend):
    """Opens the repository for each request, so that new commits are served."""

    def __init__(self, folder):
        self.folder = folder

    def open_repository(self, path):
        return Repo(self.folder)


class GitServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


def make_repository(folder):
    """Make the repository, with a skill, unless it is there."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    with Repo.init(folder, default_branch=b"main") as repository:
        for name, text in FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        porcelain.add(repository, paths=[str(folder / name) for name in FILES])
        porcelain.commit(repository, message=b"Begin", author=PERSON, committer=PERSON)


@contextmanager
def served(folder):
    """Serve the repository on a free port; the URL of it."""
    server = GitServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(make_wsgi_chain(OneRepository(folder), handlers=NO_PUSHES))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}"
    finally:
        server.shutdown()
        server.server_close()


def allow(url):
    """Add the host of a URL to SOURCE_HOSTS, for the processes that the demo starts."""
    hosts = [os.environ.get("SOURCE_HOSTS", ""), url.split("/")[2]]
    os.environ["SOURCE_HOSTS"] = ",".join(filter(None, hosts))


def follow(url, run_code):
    """Add a source that follows the repository, or give the source its new port."""
    update = "UPDATE sources_source SET url = %s, due_at = now() WHERE name = %s"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as link:
        if link.execute(update, [url, NAME]).rowcount == 0:
            run_code(CREATE.format(name=NAME, url=url))
