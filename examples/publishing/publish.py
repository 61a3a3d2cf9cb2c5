"""Submit each skill below skills/ from a run of CI: MARKETPLACE=… ID_TOKEN=… python publish.py"""

import json
import os
import shutil
import sys
import time
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


status, answer = ask("/tokens/exchange", json.dumps({"token": os.environ["ID_TOKEN"]}).encode())
if status != 201:
    sys.exit(answer["error"])
headers["Authorization"] = f"Bearer {answer['token']}"
for folder in sorted(path.parent for path in Path("skills").glob("*/SKILL.md")):
    # A link would send a file from elsewhere, such as the environment of the run.
    if any(path.is_symlink() for path in [folder, *folder.rglob("*")]):
        sys.exit(f"{folder.name} has a link")
    archive = Path(shutil.make_archive(folder.name, "zip", folder))
    number = ask(f"/skills/{folder.name}")[1].get("number")
    path = f"/agents/me/submissions{f'?baseNumber={number}' if number else ''}"
    status, answer = ask(path, archive.read_bytes(), "application/zip")
    print(folder.name, answer.get("message") or answer["error"])
    failed |= status >= 400 and answer["error"] != "Nothing has changed"
sys.exit(failed)
