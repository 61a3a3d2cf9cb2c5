"""Every way in which a text gets into the marketplace and from there to somebody else."""

from dataclasses import dataclass, field
from pathlib import Path

from agents.models import Agent, Invitation
from catalogue.models import Persona, Skill
from reports.models import Case
from reviews.models import Review
from tests.admin.files import PERSONAS, SKILLS
from tests.admin.rows import change_page, url_of
from tests.api.test_hidden_characters import ME, REGISTER
from tests.browser import untouched_form
from tests.imports import import_personas, import_skills, persona, skill
from tests.operators.claiming import submit


@dataclass
class Ways:
    """Sends a text in each of its ways. `folder` is for files to import."""

    anyone: object
    client: object  # of the agent `caller`
    console: object  # the browser of its operator
    staff: object
    folder: Path
    number: int = field(default=0, init=False)

    def names(self):
        return [name.removeprefix("by_") for name in dir(self) if name.startswith("by_")]

    def send(self, name, text):
        self.number += 1
        getattr(self, f"by_{name}")(text)

    def by_registering(self, text):
        self.anyone.post(REGISTER, {"name": text})
        self.anyone.post(REGISTER, {"name": "A", "description": text, "runtime": text})

    def by_name_of_agent(self, text):
        self.client.patch(ME, {"name": text})

    def by_description_of_agent(self, text):
        self.client.patch(ME, {"description": text})

    def by_runtime_of_agent(self, text):
        self.client.patch(ME, {"runtime": text})

    def by_name_of_token(self, text):
        self.client.post(f"{ME}/tokens", {"name": text})

    def by_review(self, text):
        self.client.post(
            f"{ME}/reviews", {"personaSlug": "librarian", "rating": 4, "comment": text}
        )

    def by_report(self, text):
        body = {"kind": "skill", "slug": "pdf-tables", "reason": "spam", "comment": text}
        self.client.post(f"{ME}/reports", body)

    def by_mcp(self, text):
        arguments = {"personaSlug": "curator", "rating": 4, "comment": text}
        params = {"name": "submit_review", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self.client.post("/mcp", message)

    def by_name_of_operator(self, text):
        submit(self.console, f"/claim/{Agent.objects.get(handle='open').claim.secret}", name=text)

    def by_address_of_operator(self, text):
        url = f"/claim/{Agent.objects.get(handle='open').claim.secret}"
        for address in (f'"{text}"@example.com', f"ada@{text}.com"):
            submit(self.console, url, email=address)

    def by_token_of_operator(self, text):
        self.console.submit("/operator/agents/caller/issue-token", name=text, scopes=["read"])

    def by_forms_of_staff(self, text):
        self.edit(Skill.objects.get(slug="csv-tables"), title=text, tags=text)
        self.edit(Persona.objects.get(slug="curator"), description=text, content=text)

    def by_frontmatter_of_staff(self, text):
        self.edit(Persona.objects.get(slug="curator"), frontmatter=f"---\ntools: [{text}]\n---\n")

    def edit(self, row, **fields):
        """Save the page once for each field."""
        form = None
        for name, value in fields.items():
            form = form or untouched_form(self.staff.get(change_page(row)))
            if self.staff.post(change_page(row), form | {name: value}).status_code == 302:
                form = None  # a page shows what was saved, or it conflicts

    def act(self, action, row, **fields):
        data = {"action": action, "_selected_action": [row.pk], "confirmed": "yes"}
        self.staff.post(url_of(type(row), "changelist"), data | fields)

    def by_labels(self, text):
        entry = Skill.objects.get(slug="csv-tables")
        self.act("edit_labels", entry, add_tags=text)
        self.act("edit_labels", entry, category=text)

    def by_recall(self, text):
        self.act("recall", Skill.objects.get(slug="bad"), reason=text)

    def by_recall_of_a_version(self, text):
        page = change_page(Skill.objects.get(slug="pdf-tables")).removesuffix("change/")
        self.staff.post(f"{page}versions/1/recall/", {"confirmed": "yes", "reason": text})

    def by_deprecation(self, text):
        self.act("deprecate", Persona.objects.get(slug="archivist"), message=text)

    def by_note(self, text):
        self.act("add_note", Skill.objects.get(slug="pdf-tables"), text=text)

    def by_invitation(self, text):
        form = {"uses": "3", "expires_in_days": "3", "scopes": ["read"], "tier": "free"}
        self.staff.post(url_of(Invitation, "add"), form | {"note": text})

    def by_decisions(self, text):
        self.act("resolve", Case.objects.first(), resolution=text)
        self.act("hide", Review.objects.get(comment="Hide me."), reason=text)

    def by_skill_file(self, text):
        self.import_skill(f"title: {text}")
        self.import_skill(body=text)

    def by_escapes_in_a_file(self, text):
        escaped = text.encode("ascii", "backslashreplace").decode()
        self.import_skill(f'description: "{escaped}"')

    def import_skill(self, *lines, **body):
        self.number += 1
        folder = self.folder / f"skill-{self.number}"
        import_skills(skill(folder, f"name: {folder.name}", *lines, **body).parent)

    def by_persona_file(self, text):
        for number, texts in enumerate([([f"tools: {text}"], "Be."), ([], text)]):
            lines, body = texts
            name = f"persona-{self.number}-{number}"
            import_personas(persona(self.folder / f"{name}.md", f"name: {name}", *lines, body=body))

    def by_preview(self, text):
        for to, name in ((SKILLS, "skill"), (PERSONAS, "persona")):
            file = f"---\nname: pasted-{name}-{self.number}\ndescription: {text}\n---\n\n{text}\n"
            preview = self.staff.post(f"{to}import/", {"text": file})["Location"]
            self.staff.post(preview, {"all": "yes"})
