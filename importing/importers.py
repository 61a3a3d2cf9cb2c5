"""The differences between importing skills and importing personas."""

import re
from itertools import chain

from django.db.models import Prefetch, prefetch_related_objects

from catalogue.agent_md import repaired
from catalogue.fences import Refused, closed
from catalogue.models import MAX_BUNDLED, FileContent, Persona, Skill
from importing.base import Importer
from importing.folders import read_folder
from importing.names import is_skill_md
from importing.reports import printable

MAX_PRICE_CENTS = 2**31 - 1
MAX_NAMED = 5  # skills that a note names
MARKDOWN = ".md", ".markdown"
# Documents that repositories have, in any case of letters; a README in several languages.
DOCUMENT = re.compile(
    r"(?i)(?:skill|readme(?:[._-][a-z]{2,3}(?:[_-][a-z]{2,4})?)?|licen[cs]e|notice|changelog"
    r"|contributing|code[_-]of[_-]conduct|authors|maintainers|governance|support|security"
    r"|claude(?:\.local)?|agents|gemini|copilot-instructions|(?:pull_request|issue)_template)"
    r"\.(?:md|markdown)"
)
# But `agents/security.md` is a role, unlike `agents/AGENTS.md`.
ROLE = re.compile(r"(?:[Ss]ecurity|[Ss]upport|[Cc]laude|[Aa]gents|[Gg]emini)\..*")
FOLDERS_OF_ROLES = {"agents", "personas", "subagents"}


class SkillImporter(Importer):
    """Every folder with a SKILL.md, in any case, is a skill. The whole text is the content.

    A file of another name is imported without its folder.
    """

    model = Skill
    own_fields = ["files"]
    has_folders = True  # if not, the SKILL.md comes alone, and the skill keeps its files

    def importable(self, _folder, names, *, is_in_skill):
        return [name for name in names if is_skill_md(name)][:1] if is_in_skill else []

    def read_beside(self, path):
        if not (self.has_folders and is_skill_md(path.name)):
            return None
        # If the file is a link to another SKILL.md, its folder is where the link leads.
        real = path.resolve()
        folder = read_folder(real if is_skill_md(real.name) else path)
        if folder.skills:
            named = ", ".join(map(printable, folder.skills[:MAX_NAMED]))
            more = len(folder.skills) - MAX_NAMED
            rest = f" and {more:,} more" if more > 0 else ""
            self.report.note(path, f"its files include other skills: {named}{rest}")
        return folder

    def below(self, root, path):
        """Keeps the folder's name, even if the path is one skill's own folder."""
        below = path.relative_to(root)
        return below if len(below.parts) > 1 else path.parent.resolve().name / below

    def owner_of(self, path):
        return path.parent.parent

    def fallback_name(self, path):
        return path.parent.resolve().name

    def values(self, file):
        files = {"files": file.folder.files} if file.folder else {}
        return {"content": file.text, **files}

    def repaired(self, file, entry):
        return entry.repaired

    def learn(self, files):
        super().learn(files)
        folders = [file.folder.files for file in files if file.folder]
        self.stored = FileContent.objects.stored(chain.from_iterable(folders))

    def store(self, file):
        if file.folder:
            file.folder.store(self.stored)


class PersonaImporter(Importer):
    """Every Markdown file is a persona; the text after its frontmatter is the prompt."""

    model = Persona
    own_fields = ["price_cents", "frontmatter"]
    bundles = [Prefetch("skills", Skill.objects.only("pk"))]

    def importable(self, folder, names, *, is_in_skill):
        """Files below a skill belong to it."""
        return [] if is_in_skill else [name for name in names if is_persona(folder, name)]

    def owner_of(self, path):
        return path.parent

    def fallback_name(self, path):
        return path.name.partition(".")[0]

    def values(self, file):
        if not file.body.strip():
            raise Refused("no prompt after the frontmatter")
        # Without some of its skills, a persona might not do what its prompt says.
        if len(file.fields.words("skills")) > MAX_BUNDLED:
            raise Refused(f"it bundles more than {MAX_BUNDLED} skills")
        text = closed(file.text)
        start = text.rindex(file.body)
        price = self.price(file.fields.get("priceCents"))
        return {"frontmatter": text[:start], "content": text[start:], "price_cents": price}

    def repaired(self, file, entry):
        return repaired(file.text, entry)

    def price(self, value):
        if value is None:
            return 0
        # An unreadable value must not make a priced persona free.
        is_number = isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value)
        if not is_number or int(value) > MAX_PRICE_CENTS:
            raise Refused("priceCents must be a whole number of cents, 0 or more")
        return int(value)

    def learn(self, files):
        super().learn(files)
        slugs = {slug for file in files for slug in file.fields.words("skills")}
        self.skills = list(Skill.objects.filter(slug__in=slugs).only("slug", "status"))

    def facts(self, file, entry):
        unknown = tuple(self.unknown_skills(file))
        return super().facts(file, entry)._replace(unknown_skills=unknown)

    def unknown_skills(self, file):
        """The slugs that the file bundles without a published skill, in their order."""
        published = {skill.slug for skill in self.skills if skill.is_published}
        return sorted(set(file.fields.words("skills")) - published)

    def save_bundle(self, file, entry):
        slugs = file.fields.words("skills")
        skills = [skill for skill in self.skills if skill.slug in slugs]
        prefetch_related_objects([entry], *self.bundles)
        if {*entry.skills.all()} == {*skills}:
            return False
        entry.skills.set(skills)
        return True


def is_persona(folder, name):
    """Whether a file may be a persona: not another document that repositories have."""
    if not name.lower().endswith(MARKDOWN):
        return False
    is_role = folder.name.lower() in FOLDERS_OF_ROLES and ROLE.fullmatch(name)
    return bool(is_role) or not DOCUMENT.fullmatch(name)
