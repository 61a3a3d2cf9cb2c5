"""MCP clients of others that sign in by OAuth, each as a program that a test talks to"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue

from tests.external import npm_folder, npm_program
from tests.interfaces.git.test_git_clients import CODEX
from tests.interfaces.test_mcp_clients import NPM_CLIENT
from tests.interfaces.test_mcp_skills_clients import CLIENT, INSPECTOR
from tests.live import free_port

HERE = Path(__file__).parent
SDKS = {"sdk": NPM_CLIENT, "client": CLIENT}
# The version that the tests were written against; look at a newer one before raising it.
MCP_REMOTE = "mcp-remote@0.15.1"
PATIENCE = 60  # seconds


def consent(visitor, address, key):
    """Do what a person does in the browser that a client has sent to the address."""
    visitor.page.goto(address)
    visitor.page.fill("[name=key]", key)
    visitor.press("Sign in", within="body")
    visitor.press("Allow", within="body")


class Program:
    """A running program, its output as lines."""

    def __init__(self, folder, *command, **variables):
        environment = {
            **os.environ,
            # No program may open a browser of its own, or find what another run has stored.
            "HOME": str(folder),
            "BROWSER": "/bin/true",
            "MCP_INSPECTOR_SECRET_STORE": "file",
            **variables,
        }
        self.process = subprocess.Popen(
            list(map(str, command)),
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines, self.seen = Queue(), []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                self.lines.put(line)
        self.lines.put(None)

    def write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def next(self, event_of):
        """What `event_of` makes of the next line that means something to it."""
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            self.seen.append(line)
            if event := event_of(line):
                return event
        raise AssertionError("it has ended:\n" + "".join(self.seen))

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.reader.join(PATIENCE)


class RealClient:
    """A client that `start` starts, and whose `call` comes back with one of these events.

    `("authorize", URL)`: a person must sign in. `("result", text)`: the tool's response.
    """

    program = None

    def __init__(self, folder, url, *command):
        self.folder, self.url, self.command, self.port = folder, url, command, free_port()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.program:
            self.program.stop()

    def event(self):
        return self.program.next(self.event_of)

    def event_of(self, line):
        message = json.loads(line) if line.startswith("{") else {}
        assert "error" not in message, line
        return next(iter(message.items()), None)


class Sdk(RealClient):
    """A program of ours, with an SDK."""

    def start(self):
        self.program = Program(self.folder, *self.command, self.url, self.port)
        return self.event()

    def call(self, tool):
        self.program.write([tool, {}])
        return self.event()


class McpRemote(RealClient):
    """The bridge for clients that only start programs."""

    number = 0

    def start(self):
        options = ["--host", "127.0.0.1", "--transport", "http-only"]
        self.program = Program(self.folder, *self.command, self.url, self.port, *options)
        about = {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {}}
        self.send("initialize", protocolVersion="2025-11-25", **about)
        return self.event()

    def send(self, method, **params):
        self.number += 1
        self.program.write(
            {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        )

    def call(self, tool):
        if self.number == 1:
            assert self.event()[0] == "result"  # of initialize
            self.program.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.send("tools/call", name=tool, arguments={})
        return self.event()

    def event_of(self, line):
        if line.startswith("http"):
            return "authorize", line.strip()
        if not line.startswith('{"'):  # Its log quotes messages over several lines.
            return None
        result = json.loads(line)["result"]
        return "result", result["content"][0]["text"] if "content" in result else ""


class Inspector(RealClient):
    """The command line of the Inspector: each call is a process, which finds the stored tokens."""

    def __init__(self, folder, url, *command):
        options = ["--cli", url, "--transport", "http", "--format", "json"]
        super().__init__(folder, url, *command, *options)
        self.command += ("--callback-url", f"http://127.0.0.1:{self.port}/oauth/callback")

    def start(self):
        self.run("my_profile", MCP_AUTO_OPEN_ENABLED="true")
        return self.event()

    def run(self, tool, *options, **variables):
        call = ["--method", "tools/call", "--tool-name", tool, *options]
        self.program = Program(self.folder, *self.command, *call, **variables)

    def call(self, tool):
        if self.program.process.poll() is not None:
            self.program.stop()
            self.run(tool, "--stored-auth-only")
        event = self.event()
        self.program.process.wait(PATIENCE)
        return event

    def event_of(self, line):
        if found := re.search(r"Please navigate to: (\S+)", line):
            return "authorize", found[1]
        if not line.startswith("{"):
            return None
        message = json.loads(line)
        if message.get("error", {}).get("code") == "auth_required":
            return "authorize", None
        return "result", message["result"]["content"][0]["text"]


class Codex(RealClient):
    """Codex: it signs in when the server is added. Only a model calls its tools."""

    def start(self):
        add = ["mcp", "add", "marketplace", "--url", self.url]
        self.program = Program(self.folder, *self.command, *add, CODEX_HOME=str(self.folder))
        return self.event()

    def event_of(self, line):
        if line.startswith("http"):
            return "authorize", line.strip()
        return ("result", line.strip()) if "Successfully logged in" in line else None


def client_of(name, config, folder, url):
    """The client with this name, which has not started yet."""
    if name == "python":
        return Sdk(folder, url, sys.executable, HERE / "oauth_walk.py")
    if name in SDKS:
        program = shutil.copy(HERE / "oauth_walk.mjs", npm_folder(config, SDKS[name]))
        return Sdk(folder, url, "node", program, name)
    if name == "inspector":
        return Inspector(folder, url, *npm_program(config, INSPECTOR, "mcp-inspector"))
    if name == "codex":
        return Codex(folder, url, *npm_program(config, CODEX, "codex"))
    return McpRemote(folder, url, *npm_program(config, MCP_REMOTE, "mcp-remote"))
