"""A skill or a persona with three versions, and its installs."""

from django.utils import timezone

from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from tests.factories import PersonaFactory, SkillFactory

ME = "/api/v1/agents/me"


class Kind:
    """A skill or a persona with three versions, and the paths of its installs."""

    def __init__(self, name):
        self.name, self.label = name, name.capitalize()
        self.slug = "pdf-tables" if name == "skill" else "archivist"
        self.model = Skill if name == "skill" else Persona
        self.Install = SkillInstall if name == "skill" else PersonaInstall
        factory = SkillFactory if name == "skill" else PersonaFactory
        self.entry = factory(slug=self.slug, title="One", version="1.0", content=self.text(1))
        for number in (2, 3):
            self.rewrite(number)

    def text(self, number):
        return text(number)

    def rewrite(self, number):
        self.entry.content, self.entry.title = self.text(number), f"Title {number}"
        self.entry.version = f"{number}.0"
        self.entry.save()

    def recall(self, number):
        versions = self.entry.versions.filter(number=number)
        versions.update(recalled_at=timezone.now(), recall_reason="Unsafe.")

    def digest(self, number):
        return self.entry.versions.get(number=number).digest

    def post(self, client, action, **body):
        return client.post(f"{ME}/{self.name}s/{action}", {"slug": self.slug, **body})

    def own(self, client):
        [row] = client.get(f"{ME}/{self.name}s").json()["results"]
        return row

    def installed(self):
        install = self.Install.objects.present().get()
        return install.installed_digest, install.number, install.pinned and install.pinned.number


def text(number):
    return f"---\nname: pdf-tables\ndescription: Extracts.\n---\nText {number}.\n"
