"""The settings and commands of docs/deploy/roll-out.md work as printed, in sessions of Claude Code.

The model that it asks is ours: it keeps each request and answers "ok".
"""

import json
import os
import re
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from demo.postgres import CHECKOUT
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.git.test_git_clients import claude, client_of_npm  # noqa: F401

pytestmark = pytest.mark.external

PAGE = (CHECKOUT / "docs" / "deploy" / "roll-out.md").read_text()
COMPANY, DEPARTMENT = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
[UPDATE] = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "model",
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
ANSWER = [
    {"type": "message_start", "message": MESSAGE | {"content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(body.decode())
        if json.loads(body).get("stream"):
            events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in ANSWER)
            self.send("text/event-stream", "".join(events))
        else:
            content = [{"type": "text", "text": "ok"}]
            message = MESSAGE | {"content": content, "stop_reason": "end_turn"}
            self.send("application/json", json.dumps(message))

    def send(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def session(claude, tmp_path):  # noqa: F811
    """One session of `claude -p`; returns what it told the model."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=model.serve_forever).start()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{model.server_port}",
        "ANTHROPIC_API_KEY": "key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_SYNC_PLUGIN_INSTALL": "1",
    }

    def session():
        model.requests = []
        command = [claude.program, "-p", "Say ok."]
        options = {"cwd": tmp_path, "env": environment, "stdin": subprocess.DEVNULL}
        printed = subprocess.check_output(command, text=True, timeout=180, **options)
        assert printed == "ok\n"
        return "".join(model.requests)

    yield session
    model.shutdown()
    model.server_close()


@pytest.fixture
def settings(live_server_of, tmp_path):
    """Writes what a block of the page says, with the address of the server."""
    server = live_server_of()

    def settings(block):
        (tmp_path / ".claude").mkdir()
        here = block.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        (tmp_path / ".claude" / "settings.json").write_text(here)

    return settings


@pytest.fixture
def skill(transactional_db):
    skill = SkillFactory(slug="pdf-tables", description="Extracts tables.")
    PersonaFactory(slug="archivist", description="Keeps everything.", skills=[skill])
    return skill


@pytest.mark.contract("34.2")
def test_a_company_gets_plugins_and_recalls(settings, session, claude, skill):  # noqa: F811
    settings(COMPANY)
    assert "pdf-tables: Extracts tables." in session()
    session()  # This one notes what it has as installed.

    skill.recall("It leaks.")
    assert "RECALLED" not in session()
    for line in UPDATE.splitlines():
        claude(*line.split()[1:])
    assert "RECALLED: It leaks." in session()


def test_a_department_gets_a_persona_and_its_skills(settings, session, skill):
    settings(DEPARTMENT)

    told = session()

    assert "archivist:pdf-tables: Extracts tables." in told
    assert "archivist:archivist: Keeps everything." in told
