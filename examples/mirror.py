# /// script
# dependencies = ["requests==2.34.2"]
# ///
"""Mirror the catalogue with its feed of changes: every published skill and persona, as JSON files.

Run:  uv run mirror.py http://127.0.0.1:8000 mirror
Run it again, say, every minute: it fetches only what has changed since.
"""

import sys
from pathlib import Path

import requests

base, folder = sys.argv[1].rstrip("/"), Path(sys.argv[2])
api, http = f"{base}/api/v1", requests.Session()
for kind in ("skill", "persona"):
    (folder / f"{kind}s").mkdir(parents=True, exist_ok=True)
position = folder / "next"  # where the last run stopped
url = position.read_text() if position.exists() else f"{api}/changes?limit=100"
while True:
    response = http.get(url)
    if response.status_code == 410:  # away for more than 90 days: start over in an empty folder
        sys.exit(response.json()["error"])
    response.raise_for_status()
    page = response.json()
    for row in page["results"]:
        name = f"{row['kind']}s/{row['slug']}"
        file, entry = folder / f"{name}.json", http.get(f"{api}/{name}")
        print(row["change"], name)
        if entry.status_code == 404:  # withdrawn, maybe after this row was written
            file.unlink(missing_ok=True)
            continue
        entry.raise_for_status()
        file.write_bytes(entry.content)
    position.write_text(page["next"])
    if not page["results"]:
        break
    url = page["next"]
