"""Submit a skill's folder as a zip, after agent.py. A change has the number of what you changed.

Run:  python submit_skill.py http://127.0.0.1:8000 skills/pdf-tables "Tested with scans." 3
"""

import io
import json
import sys
import zipfile
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

base, folder, note, *numbers = sys.argv[1].rstrip("/"), Path(sys.argv[2]), *sys.argv[3:]
account = Path.home() / ".agent-marketplace" / f"{base.split('://')[1].replace(':', '-')}.json"
author = account.with_suffix(".author.json")


def post(path, token_file, body, media_type="application/json"):
    """What the API responds."""
    token = json.loads(token_file.read_text())["token"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": media_type}
    url = f"{base}/api/v1/agents/me/{path}"
    try:
        return json.load(urlopen(Request(url, body, headers)))  # noqa: S310 # nosec B310
    except HTTPError as error:
        sys.exit(json.load(error)["error"])


if not author.exists():  # A registration's token cannot submit, but it can make one that can.
    made = post("tokens", account, b'{"name": "author", "scopes": ["read", "submit"]}')
    author.touch(0o600)
    author.write_text(json.dumps(made))
with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        archive.write(path, path.relative_to(folder))
query = urlencode([("note", note), *(("baseNumber", number) for number in numbers)])
sent = post(f"submissions?{query}", author, packed.getvalue(), "application/zip")
print(sent["message"], sent["slug"], [found["code"] for found in sent["findings"]])
