"""The names of a skill's files: which are left out, and which refuse the skill (contract 17)."""

import os
import re
import unicodedata

from catalogue.frontmatter import Refused
from marketplace.secrets import holds_token

MAX_PATH = 200  # bytes
MAX_PARTS = 20  # of a path such as pdf-tables/scripts/run.py, with the skill's own folder
CACHE = "a cache"
# A dot at the start says nothing: `_rels/.rels` makes a template a document, and `.eslintrc` is
# what a skill explains. npm never packs most of these names either.
LEFT_OUT = {
    "version control": r"\.git.*|\.hg.*|\.svn|\.bzr|\.jj",
    # Agents install packages for their own machine.
    CACHE: r"__pycache__|.*\.py[co]|node_modules|\.venv|\.virtualenv|\.tox|\.nox|\.eggs"
    r"|\.(?:pytest|mypy|ruff|sass|parcel)[_-]cache|\.(?:es|style)lintcache|\.cache|\.hypothesis"
    r"|\.ipynb_checkpoints|\.coverage|\.nyc_output|\.turbo|\.next|\.nuxt|\.svelte-kit|\.gradle"
    r"|\.terraform|\.dart_tool|\.pnpm-store|\.vercel|\.netlify|\.wrangler",
    "a file of an operating system": r"\.ds_store|\._.*|__macosx|thumbs\.db|desktop\.ini"
    r"|\.appledouble|\.localized|\.spotlight-v100|\.fseventsd|\.temporaryitems|\.trash.*"
    r"|\.directory|\.nfs[0-9a-f]+|\.fuse_hidden.*",
    "a file of an editor": r"\.idea|\.vscode|\.vs|\.fleet|\.zed|\.history|\.settings|\.project"
    r"|\.classpath|\..*\.sw[a-p]|\.#.*",
    "it may hold secrets": r"\.env(?:rc)?"
    r"(?:\.(?!(?:.*\.)?(?:examples?|samples?|templates?|dist|defaults?)(?:[._-].*)?$).*)?"
    r"|\.npmrc|\.pypirc|\.netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.ssh|\.gnupg|\.aws|\.azure|\.kube"
    r"|\.dockercfg|\.vault-token",
}
PATTERN = re.compile("(?is)" + "|".join(f"({names})" for names in LEFT_OUT.values()))
# Windows forbids some characters, a dot or a space at the end, and the names of devices.
FORBIDDEN = re.compile(
    r"""(?i).*[<>:"/\\|?*].*|.*[. ]"""
    r"|(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?"
)


def reason_to_leave_out(name):
    """Why a file or folder of this name is left out, or ""."""
    match = PATTERN.fullmatch(name)
    return list(LEFT_OUT)[match.lastindex - 1] if match else ""


def is_skipped(folder):
    """Whether an import looks for nothing in a folder of this name."""
    return folder == ".git" or reason_to_leave_out(folder) == CACHE


def is_skill_md(name):
    return name.lower() == "skill.md"


def is_too_deep(path):
    """Whether a path, from the skill's folder or from one around it, has too many parts."""
    return path.count("/") >= MAX_PARTS


def normalized(path):
    """The path in NFC: a name that macOS has decomposed is the same name."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def check_path(path, paths):
    """Raises Refused for a path that is not allowed, or that equals another one of `paths`."""
    try:
        encoded = path.encode()
    except UnicodeEncodeError as error:
        name = os.fsencode(path).decode(errors="replace")
        raise Refused(f"the name {name!r} is not UTF-8") from error
    if holds_token(path):
        raise Refused("the name of a file holds a token of this marketplace")
    if any(unicodedata.category(character) == "Cc" for character in path):
        raise Refused(f"{path[:50]!r} holds a control character")
    if len(encoded) > MAX_PATH:
        raise Refused(f"{path[:50]}… is longer than {MAX_PATH} bytes")
    if is_too_deep(f"folder/{path}"):
        raise Refused(f"{path[:50]}… has more than {MAX_PARTS - 1} parts")
    if FORBIDDEN.fullmatch(path.rpartition("/")[2]):
        raise Refused(f"{path} is a name that Windows forbids")
    key = path.casefold()
    if paths.get(key) == path:
        raise Refused(f"two names are both {path} in Unicode's normal form C")
    if key in paths:
        raise Refused(f"{path} and {paths[key]} differ in case only")
    paths[key] = path
