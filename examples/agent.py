# /// script
# dependencies = ["requests==2.34.2"]
# ///
"""A complete agent: register once, find a skill, install and verify it, report it if it is wrong.

Run:  uv run agent.py http://127.0.0.1:8000 "extract tables from pdf" skills
"""

import json
import sys
from pathlib import Path

import requests
from downloads import digest_of, unpack

base, query, folder = sys.argv[1].rstrip("/"), sys.argv[2], Path(sys.argv[3])
me, http = f"{base}/api/v1/agents/me", requests.Session()
# The token is shown only once: keep it where nobody else can read it. Later runs use it again.
account = Path.home() / ".agent-marketplace" / f"{base.split('://')[1].replace(':', '-')}.json"
if not account.exists():
    response = http.post(f"{base}/api/v1/agents/register", json={"name": "Example Agent"})
    response.raise_for_status()
    account.parent.mkdir(exist_ok=True)
    account.touch(0o600)
    account.write_bytes(response.content)
http.headers["Authorization"] = "Bearer " + json.loads(account.read_text())["token"]
skills = http.get(f"{base}/api/v1/skills", params={"q": query, "limit": 1}).json()["results"]
slug = skills[0]["slug"] if skills else sys.exit(f"No skill matches {query!r}")
response = http.post(f"{me}/skills/install", json={"slug": slug, "runtime": "python"})
installed = response.json()
if not response.ok:
    sys.exit(installed["error"])  # one sentence, such as "Skill already installed"
download = http.get(installed["url"])
download.raise_for_status()
if digest_of(download.content) != installed["digest"]:
    http.post(f"{me}/skills/uninstall", json={"slug": slug})
    http.post(f"{me}/reports", json={"kind": "skill", "slug": slug, "reason": "broken"})
    sys.exit(f"{slug} is not what was published: reported to the staff")
unpack(download.content, folder / slug)
print(f"Installed version {installed['number']} of {slug}, verified, in {folder / slug}")
