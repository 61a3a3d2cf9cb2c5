"""Submit the skills below skills/ that have changed, in a run of CI.

Run:  MARKETPLACE=https://marketplace.example.com ID_TOKEN=… python publish.py
"""

import json
import os
import shutil
import sys
import time
from hashlib import sha256
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

api, headers, failed = f"{os.environ['MARKETPLACE']}/api/v1", {}, False


def ask(path, body=None, media_type="application/json"):
    """Status and JSON of the response, after waiting if the marketplace is busy."""
    request = Request(api + path, body, {**headers, "Content-Type": media_type})  # noqa: S310
    try:
        response = urlopen(request)  # noqa: S310 # nosec B310
    except HTTPError as error:
        if error.code == 503:
            time.sleep(int(error.headers["Retry-After"]))
            return ask(path, body, media_type)
        response = error
    return response.status, json.load(response)


def lines_of(folder):
    """What `bytesDigest` of a submission covers: a line for each file, in the order of paths."""
    for path in sorted(folder.rglob("*"), key=bytes):
        # A link would send a file from elsewhere, such as the environment of the run.
        if path.is_symlink() or folder.is_symlink():
            sys.exit(f"{folder.name} has a link")
        if path.is_file():
            mark = "x" if path.stat().st_mode & 0o100 else "-"
            digest = sha256(path.read_bytes()).hexdigest()
            yield f"{digest} {mark} {path.relative_to(folder).as_posix()}\n"


status, answer = ask("/tokens/exchange", json.dumps({"token": os.environ["ID_TOKEN"]}).encode())
if status != 201:
    sys.exit(answer["error"])
headers["Authorization"] = f"Bearer {answer['token']}"
sent, path = {}, "/agents/me/submissions?kind=skill&limit=100"
while path:
    page = ask(path)[1]  # the newest submissions first
    for row in page["results"]:
        sent.setdefault(row["slug"], []).append(row)
    path = (page["next"] or "").partition("/api/v1")[2]
for folder in sorted(path.parent for path in Path("skills").glob("*/SKILL.md")):
    digest = f"sha256:{sha256(''.join(lines_of(folder)).encode()).hexdigest()}"
    rows = sent.get(folder.name, [])
    if rows and rows[0]["bytesDigest"] == digest and rows[0]["state"] != "withdrawn":
        state, reason = rows[0]["state"], rows[0]["reason"]
        print(folder.name, f"is {state}: {reason}" if reason else f"is {state}")
        failed |= state == "rejected"
        continue
    # A change is based on the last version from here, so that staff see whether theirs is newer.
    number = max((row["number"] or 0 for row in rows), default=0)
    path = f"/agents/me/submissions{f'?baseNumber={number}' if number else ''}"
    archive = Path(shutil.make_archive(folder.name, "zip", folder))
    status, answer = ask(path, archive.read_bytes(), "application/zip")
    print(folder.name, answer.get("message") or answer["error"])
    failed |= status >= 400 and answer["error"] != "Nothing has changed"
sys.exit(failed)
