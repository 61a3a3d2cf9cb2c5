from django.utils.functional import cached_property

from catalogue.models import REPOSITORY, Status
from submissions.exceptions import (
    PersonaFromRepository,
    PersonaHasMaintainer,
    SkillFromRepository,
    SkillHasMaintainer,
)
from submissions.models import Maintainer

HAS_MAINTAINER = {"skill": SkillHasMaintainer, "persona": PersonaHasMaintainer}
FROM_REPOSITORY = {"skill": SkillFromRepository, "persona": PersonaFromRepository}


class Author:
    """An agent and the entry that it wants to change, as far as the agent may know it."""

    def __init__(self, agent, proposal):
        self.agent = agent
        rows = proposal.model.objects.filter(slug=proposal.slug)
        self.entry = rows.exclude(status=Status.DRAFT).first()

    @cached_property
    def is_maintainer(self):
        if self.entry is None:
            return False
        return Maintainer.objects.of(self.entry).including(self.agent).exists()

    def check(self):
        """Raises a Conflict if only others, or only its repository, may change it."""
        if self.entry is None:
            return
        if self.entry.source.startswith(REPOSITORY):
            raise FROM_REPOSITORY[self.entry.kind]
        if self.is_maintainer:
            return
        if Maintainer.objects.of(self.entry).exists():
            raise HAS_MAINTAINER[self.entry.kind]

    @property
    def base(self):
        """The entry. A withdrawn one does not exist for others than its maintainers."""
        if self.entry is None or self.entry.is_published or self.is_maintainer:
            return self.entry
        return None
