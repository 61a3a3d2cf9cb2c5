"""Which of an operator's agents the list shows, and an action on many of them changes."""

from collections import Counter
from datetime import timedelta
from urllib.parse import urlencode

from django import forms
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone
from django.utils.functional import cached_property

from agents.models import Agent, AgentToken
from catalogue.models import Skill
from installs.models import PersonaInstall, SkillInstall
from marketplace.models import SLUG, max_length
from marketplace.secret_fields import NoEchoMixin
from marketplace.secrets import holds_token
from operators.recalls import recalls_of

MAX_SKILLS = 200  # that the form offers; an address may name any other one
SEEN = {
    "": "at any time",
    "day": "in the last 24 hours",
    "week": "in the last 7 days",
    "not-week": "not in the last 7 days",
    "not-month": "not in the last 30 days",
    "never": "never",
}
DAYS = {"day": 1, "week": 7, "month": 30}


class SlugFilterField(NoEchoMixin, forms.RegexField):
    pass


class VersionFilterField(NoEchoMixin, forms.IntegerField):
    pass


class AgentsFilter(forms.Form):
    """All agents of a key, or those that match everything in a query string (contract 19.23)."""

    q = forms.CharField(required=False)
    skill = SlugFilterField(
        rf"^{SLUG}$",
        required=False,
        max_length=max_length(Skill, "slug"),
        widget=forms.Select,
        error_messages={"invalid": "Choose a skill from the list."},
    )
    version = VersionFilterField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        label="Accepted version",
        widget=forms.Select,
    )
    seen = forms.ChoiceField(
        required=False,
        choices=SEEN.items(),
        label="Last seen",
        # Django's own text repeats what was sent.
        error_messages={"invalid_choice": "Choose from the list."},
    )
    outdated = forms.BooleanField(required=False, label="Outdated")
    advisory = forms.BooleanField(required=False, label="Recalled, withdrawn or deprecated")

    def __init__(self, key, query):
        self.all = key.claims.claimed()
        data = {**query.dict(), "q": text_of(query.get("q", ""))}
        super().__init__(data, auto_id="%s", label_suffix="")
        self.is_valid()

    def clean(self):
        if not self.cleaned_data.get("skill"):
            self.cleaned_data["version"] = None  # of no skill
        return self.cleaned_data

    @cached_property
    def chosen(self):
        """The filters that are set. In the form's order, they are also the list's address."""
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def query_string(self):
        return urlencode({name: "on" if v is True else v for name, v in self.chosen.items()})

    def claims(self):
        """The claims of the agents that match.

        If a value is not valid, no agent matches: an action must change no agent that its operator
        meant to leave out.
        """
        return self.all.filter(*self.conditions()) if self.is_valid() else self.all.none()

    def conditions(self):
        chosen = self.chosen
        if "q" in chosen:
            yield Q(agent__in=Agent.objects.named(chosen["q"]))
        if "skill" in chosen:
            yield Exists(self.of_skill(present(SkillInstall)))
        if "outdated" in chosen:
            yield self.is_outdated()
        if "advisory" in chosen:
            yield Q(agent__in=list(self.advisories)) | has_any("deprecated")
        if "seen" in chosen:
            yield was_seen(chosen["seen"])

    def of_skill(self, installs):
        """Those of the chosen skill, in the chosen version."""
        version = {"number": self.chosen["version"]} if "version" in self.chosen else {}
        return installs.filter(skill__slug=self.chosen["skill"], **version)

    def is_outdated(self):
        """With a skill, only that skill counts; without one, everything that an agent has."""
        if "skill" in self.chosen:
            return Exists(self.of_skill(present(SkillInstall).behind()))
        return has_any("behind")

    @cached_property
    def recalls(self):
        return recalls_of(self.all.values("agent"))

    @cached_property
    def advisories(self):
        """`{agent: number}` of entries and versions that staff have withdrawn or recalled."""
        return Counter(pk for recall in self.recalls for pk in recall.settled.union(recall.agents))

    def offer(self):
        """Fill in the choices of the form: the skills that the agents have, and their versions."""
        installs = SkillInstall.objects.present().filter(agent__in=self.all.values("agent"))
        skill, version = self.chosen.get("skill"), self.chosen.get("version")
        self.fields["skill"].widget.choices = [("", "any"), *skills_in(installs, skill)]
        if skill is None:
            del self.fields["version"]
        else:
            versions = versions_in(installs.filter(skill__slug=skill), version)
            self.fields["version"].widget.choices = [("", "any"), *versions]


def present(model):
    """The present installs of the agent of a claim."""
    return model.objects.present().filter(agent=OuterRef("agent"))


def has_any(rows):
    """Whether the agent of a claim has an install of either kind that is "behind", for example."""
    skills, personas = (getattr(present(model), rows)() for model in (SkillInstall, PersonaInstall))
    return Exists(skills) | Exists(personas)


def was_seen(when):
    tokens = AgentToken.objects.filter(agent=OuterRef("agent"))
    if when == "never":
        return ~Exists(tokens.filter(last_used_at__isnull=False))
    since = timezone.now() - timedelta(days=DAYS[when.removeprefix("not-")])
    recent = Exists(tokens.filter(last_used_at__gte=since))
    return ~recent if when.startswith("not-") else recent


def skills_in(installs, chosen):
    """Choices: the most common skills by slug, with the number of agents, and the chosen one."""
    rows = installs.order_by().values_list("skill__slug").annotate(agents=Count("pk"))
    agents = dict(rows.order_by("-agents", "skill__slug")[:MAX_SKILLS])
    slugs = sorted({*agents, *filter(None, [chosen])})
    return [(slug, f"{slug} ({agents[slug]})" if slug in agents else slug) for slug in slugs]


def versions_in(installs, chosen):
    """Choices: the versions that agents have accepted, newest first, and the chosen one."""
    rows = installs.exclude(number=None).order_by().values_list("number", "skill__number")
    counted = {number: (newest, agents) for number, newest, agents in rows.annotate(Count("pk"))}
    for number in sorted({*counted, *filter(None, [chosen])}, reverse=True):
        newest, agents = counted.get(number, (None, 0))
        yield number, f"{number}{', newest' if number == newest else ''} ({agents})"


def text_of(q):
    """The text of a search. A secret that somebody pasted is not written back into the page."""
    return "" if holds_token(q) else q.replace("\0", "").strip()[:100]
