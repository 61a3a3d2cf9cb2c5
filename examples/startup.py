# /// script
# dependencies = ["requests==2.34.2"]
# ///
"""What an agent runs each time it starts: load what it has installed, and verify every text.

Run:  uv run startup.py http://127.0.0.1:8000 skills     (after agent.py, which registers)
"""

import json
import sys
from pathlib import Path

import requests
from downloads import digest_of, unpack

base, folder, http = sys.argv[1].rstrip("/"), Path(sys.argv[2]), requests.Session()
account = Path.home() / ".agent-marketplace" / f"{base.split('://')[1].replace(':', '-')}.json"
http.headers["Authorization"] = "Bearer " + json.loads(account.read_text())["token"]

response = http.get(f"{base}/api/v1/agents/me/manifest")
manifest = response.json()
if not response.ok:
    sys.exit(manifest["error"])
for advisory in manifest["advisories"]:
    print(f"Stop using {advisory['slug']}: {advisory['reason']}", file=sys.stderr)
if persona := manifest["activePersona"]:
    text = (persona["frontmatter"] or "") + persona["content"]
    if digest_of(text.encode()) != persona["digest"]:
        sys.exit(f"{persona['slug']} is not what was published")
    print(persona["content"])
for skill in manifest["skills"]:
    version = f"{base}/api/v1/skills/{skill['slug']}/versions/{skill['number']}"
    download = http.get(version + ("/archive.zip" if skill["files"] else "/SKILL.md"))
    download.raise_for_status()
    if digest_of(download.content) != skill["digest"]:
        sys.exit(f"{skill['slug']} is not what was published")
    if skill["digest"] != (skill["installedDigest"] or skill["digest"]):
        print(f"{skill['slug']} has a new text: read it before you use it", file=sys.stderr)
    unpack(download.content, folder / skill["slug"])
