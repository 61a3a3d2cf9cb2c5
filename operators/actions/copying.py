"""An operator's action that installs what another of the operator's agents has."""

from django import forms
from django.db.models import F, Value

from catalogue.exceptions import VersionNotFound
from catalogue.models import FREE
from installs.models import PersonaInstall, SkillInstall
from operators.actions.all_installs import MAX_NAMED
from operators.actions.base import Action, listed
from operators.actions.installing import REFUSALS
from operators.forms import SourceForm

MAX_COPIED = 200  # of each kind; a second copy installs the rest
GONE = {VersionNotFound: "A pinned version has been recalled since."} | REFUSALS


class CopyInstalls(Action):
    title = "Give {agent} what another agent has"
    text = (
        "It gets the published skills and the free personas of the other agent, with the same "
        "pins, and the same active persona. The agent keeps everything that it already has."
    )
    label = "Install all"
    note = "Installed what {subject.source} has: {subject}."
    done = "Gave {agent} what {subject.source} has."
    template = "operator/copy.html"

    def form(self, claim, subject, data=None):
        if data is None and "source" in self.request.GET:
            data = self.request.GET
        return SourceForm(self.key, claim, data)

    def details(self, claim, form):
        is_chosen = form.is_bound and "source" not in form.errors
        return {"copy": Copy(form.cleaned_data["source"], claim.agent) if is_chosen else None}

    def act(self, claim, subject, form, operator):
        copy = Copy(form.cleaned_data["source"], claim.agent)
        if copy.is_empty:
            self.change_nothing()
        try:
            copy.install()
        except tuple(GONE) as error:
            raise forms.ValidationError(GONE[type(error)].format(agent=claim.agent)) from error
        return copy


class Copy:
    """The installs of the `source`, a handle, that the agent lacks.

    `rows` have the `kind`, the `slug` and the `pinned_number`, if there is one. `active` is the
    slug of the source's active persona, if it is not the agent's.
    """

    def __init__(self, source, agent):
        self.source, self.agent = source, agent
        free = present(PersonaInstall, source).filter(persona__price_cents=FREE)
        self.rows = [
            *lacking(present(SkillInstall, source), agent),
            *lacking(free, agent),
        ]
        active = free.filter(is_active=True).exclude(persona__in=active_of(agent))
        self.active = active.values_list("persona__slug", flat=True).first()

    def __str__(self):
        names = [f"{row.slug} {row.pinned_number or ''}".strip() for row in self.rows]
        return listed([*names, *([f"{self.active} active"] if self.active else [])], MAX_NAMED)

    @property
    def is_empty(self):
        return not self.rows and not self.active

    def install(self):
        for row in self.rows:
            model = SkillInstall if row.kind == SkillInstall.kind else PersonaInstall
            model.objects.install(self.agent, row.slug, version=row.pinned_number)
        if self.active:
            PersonaInstall.objects.activate(self.agent, self.active)


def present(model, handle):
    """Installs that another agent can get: not those of withdrawn entries or recalled versions."""
    installs = model.objects.present().of_published().filter(agent__handle=handle)
    return installs.exclude(pinned__recalled_at__isnull=False)


def lacking(installs, agent):
    kind = installs.model.kind
    own = installs.model.objects.present().filter(agent=agent)
    rows = installs.exclude(**{f"{kind}__in": own.values(kind)})
    names = {"kind": Value(kind), "slug": F(f"{kind}__slug"), "pinned_number": F("pinned__number")}
    # By slug, so that two copies at once wait for the same entries in the same order.
    rows = rows.annotate(**names).order_by("slug").values_list(*names, named=True)
    return rows[:MAX_COPIED]


def active_of(agent):
    return PersonaInstall.objects.present().filter(agent=agent, is_active=True).values("persona")
