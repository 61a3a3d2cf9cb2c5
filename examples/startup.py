# /// script
# dependencies = ["requests==2.34.2"]
# ///
"""What an agent runs each time it starts: load what it has installed, and verify every text.

Run:  uv run startup.py http://127.0.0.1:8000 skills     (after agent.py, which registers)
"""

import io
import json
import sys
import zipfile
from pathlib import Path

import requests
from digests import digest_of

base, folder, http = sys.argv[1].rstrip("/"), Path(sys.argv[2]), requests.Session()
account = Path.home() / ".agent-marketplace" / f"{base.split('://')[1].replace(':', '-')}.json"
http.headers["Authorization"] = "Bearer " + json.loads(account.read_text())["token"]
manifest = http.get(f"{base}/api/v1/agents/me/manifest").json()
for advisory in manifest["advisories"]:
    print(f"Stop using {advisory['slug']}: {advisory['reason']}", file=sys.stderr)
if persona := manifest["activePersona"]:
    if digest_of(persona["content"].encode()) != persona["digest"]:
        sys.exit(f"{persona['slug']} is not what was published")
    print(persona["content"])
for skill in manifest["skills"]:
    version = f"{base}/api/v1/skills/{skill['slug']}/versions/{skill['number']}"
    data = http.get(version + ("/archive.zip" if skill["files"] else "/SKILL.md")).content
    if digest_of(data) != skill["digest"]:
        sys.exit(f"{skill['slug']} is not what was published")
    if skill["digest"] != (skill["installedDigest"] or skill["digest"]):
        print(f"{skill['slug']} has a new text: read it before you use it", file=sys.stderr)
    target = folder / skill["slug"] / "SKILL.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    if skill["files"]:
        zipfile.ZipFile(io.BytesIO(data)).extractall(target.parent)
    else:
        target.write_bytes(data)
