"""Every response that shows texts of others, as the texts in it."""

import hashlib
import io
import json
import zipfile
from html import unescape
from urllib.parse import unquote

from django.test import Client
from dulwich.objects import Tree
from dulwich.pack import PackStreamReader

from tests.access.walk import messages, requests
from tests.interfaces.git.test_git_http import head_of, line, upload
from tests.interfaces.git.test_own_repository import basic

CHANGING = (
    *("register", "confirm", "create", "rotate", "revoke", "install", "uninstall", "activate"),
    *("deactivate", "update", "pin", "unpin", "submit", "report", "delete"),
)
NOT_SHOWN = ("/admin", "/static", "/metrics", "/operator/")
CONSOLE = ["/operator", "/operator/agents/caller", "/operator/agents/caller/limits"]


def texts_of_all(token, console):
    """`(path, text)` of every response to an agent, and of its operator's pages."""
    client = Client(headers={"Authorization": f"Bearer {token}"})
    for path in sorted({path for method, path, _ in requests() if method == "GET"}):
        if not path.startswith(NOT_SHOWN):
            yield from texts_of(path, client.get(path))
    for path in CONSOLE:
        yield from texts_of(path, console.get(path))
    for number, (method, params) in enumerate(messages()):
        if not params.get("name", "").startswith(CHANGING):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            response = client.post("/mcp", message, content_type="application/json")
            yield from texts_of(f"/mcp {method} {params}", response)
    login = basic(f"x:{token}")
    for name in ("catalogue", "me", "skills/pdf-tables", "personas/archivist"):
        yield from texts_in_git(client, f"/git/{name}.git", login)


def texts_of(path, response):
    """The headers and the content, also as a program reads them."""
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    yield path, unquote(headers)
    data = response.getvalue()
    if "zip" in response.get("Content-Type", ""):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield f"{path}!{name}", archive.read(name).decode(errors="replace")
        return
    text = data.decode(errors="replace")
    yield path, text.replace("\0", " ", 1) if "/info/refs" in path else text
    if "json" in response.get("Content-Type", ""):
        yield path, json.dumps(json.loads(text), ensure_ascii=False).replace("\\n", "\n")
    elif "html" in response.get("Content-Type", ""):
        yield path, unescape(text)


def texts_in_git(client, path, login):
    """All objects of the newest commit and those before it."""
    client.get(f"{path}/info/refs?service=git-upload-pack", headers=login)
    want = line(f"want {head_of(client, path)}\n") + b"0000" + line("done\n")
    pack = upload(client, want, path, **login).getvalue().removeprefix(b"0008NAK\n")
    objects = PackStreamReader(hashlib.sha1, io.BytesIO(pack).read).read_objects()
    for entry in objects:
        if entry.pack_type_num != Tree.type_num:  # which has digests as bytes
            yield path, b"".join(entry.decomp_chunks).decode(errors="replace")
