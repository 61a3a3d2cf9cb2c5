"""The entries that an operator can choose from when installing, found as on the website."""

from catalogue.models import Skill
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.list_queries import PersonaQuery, SkillQuery

MAX_MATCHES = 10


class Matches:
    """The best `entries` for the words, or the most installed ones without words.

    If nothing matches, they are the nearest ones, and `others` the nearest ones of the other kind.
    With each entry come whether the agent has it, and whether it is chosen from the start.
    """

    def __init__(self, request, installs, agent, words):
        self.words, self.model = words, installs.Entry
        entries, self.others, self.are_exact = self.find(client_address(request))
        slugs = [entry.slug for entry in entries]
        slug_of = f"{installs.kind}__slug"
        own = installs.objects.present().filter(agent=agent, **{f"{slug_of}__in": slugs})
        own = set(own.values_list(slug_of, flat=True))
        self.entries = [(entry, entry.slug in own, entry.slug == words) for entry in entries]

    def find(self, address):
        is_skill = self.model is Skill
        query_class, entries = (
            (SkillQuery, reads.skills) if is_skill else (PersonaQuery, reads.personas)
        )
        params = {"q": [self.words]} if self.words else {}
        # Agents get free personas only.
        free = {} if is_skill else {"free": ["true"]}
        page = entries.page_for_client(
            query_class({**params, **free}, default_limit=MAX_MATCHES), address
        )
        if page.results or not self.words:
            return page.results, [], True
        slugs = [near["slug"] for near in page.nearest if near["kind"] == self.model.kind]
        found = reads.entries_of(self.model).filter(slug__in=slugs)
        others = [near for near in page.nearest if near["kind"] != self.model.kind]
        return sorted(found, key=lambda entry: slugs.index(entry.slug)), others, False
