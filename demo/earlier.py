"""Earlier texts of some of the demo's entries, so that there are versions to compare.

Each is the text of its file without the last sections, under an earlier label.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = {
    "skills": [
        *("pdf-tables/SKILL.md", "csv-cleaning/SKILL.md", "review-pull-request/SKILL.md"),
        *("dockerfile-build/SKILL.md", "readme-writing/SKILL.md", "design-rest-api/SKILL.md"),
    ],
    "personas": ["code-reviewer.md", "technical-writer.md"],
}
MISSING = (2, 1)  # sections that the first text lacks, and the second one


def write_earlier(kind, missing, folder):
    """Write the files of a kind to the folder, each without its last `missing` sections."""
    for name in FILES[kind]:
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(shortened((HERE / kind / name).read_text(), missing))


def shortened(text, missing):
    head = text.rsplit("\n## ", missing)[0]
    return re.sub(r'version: "[\d.]+"', f'version: "0.{10 - missing}.0"', head, count=1)
