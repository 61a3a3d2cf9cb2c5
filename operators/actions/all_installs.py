"""An operator's actions on all skills and personas of an agent at once."""

from collections import defaultdict
from typing import NamedTuple

from django.db.models import Case, Exists, F, Q, Value, When
from django.template.defaultfilters import pluralize
from django.utils.functional import cached_property

from catalogue.models import Status
from installs.models import PersonaInstall, SkillInstall, choices
from installs.models.querysets import recalled_versions
from operators.actions.base import Action, listed

MAX_NAMED = 100  # in the agent's history
FOLLOWS = "that come with the active persona, always in the newest version; install one to pin it"


class MoveAll(Action):
    """One statement for each kind: it sees all versions at one moment, and waits for none."""

    template = "operator/confirm_all.html"

    def subject(self, agent):
        return Plan(self, agent)

    def act(self, claim, plan, form, operator):
        rows = [row for rows in plan.changes.values() for row in rows]
        changed = {installs.model.kind: self.move(installs) for installs in plan.installs}
        if not any(changed.values()):
            self.change_nothing()
        return Moved(in_words(changed), names_of(rows))

    def move(self, installs):
        """Returns how many changed."""
        raise NotImplementedError

    def to_move(self, installs):
        """The installs that `move` changes, each with its `chosen_number`."""
        raise NotImplementedError

    def left_out(self, installs):
        """The installs that it would change if their versions were available."""
        raise NotImplementedError

    def beyond(self, skills, personas):
        """The skills that it cannot change, with the reason, because no install is theirs."""
        return []


class UpdateAll(MoveAll):
    title = "Update everything that {agent} has?"
    text = "From now on the agent uses the newest version of each. Pins move to it."
    label = "Update all"
    note = "Updated {subject}."
    done = "Updated {subject} of {agent}."

    def move(self, installs):
        return installs.use(choices.newest)

    def to_move(self, installs):
        return installs.to_use(choices.newest)

    def left_out(self, installs):
        return installs.without(choices.newest)


class PinAll(MoveAll):
    title = "Pin everything that {agent} has?"
    text = (
        "The agent keeps the version of each that it uses now, even when newer ones are "
        "published. Existing pins stay where they are."
    )
    label = "Pin all"
    note = "Pinned {subject}: {subject.names}."
    done = "Pinned {subject} of {agent}."

    def move(self, installs):
        return installs.use(choices.used, is_pinned=True)

    def to_move(self, installs):
        return installs.to_use(choices.used, is_pinned=True)

    def left_out(self, installs):
        return installs.filter(pinned=None).without(choices.used)

    def beyond(self, skills, personas):
        own = skills.values("skill__slug")
        rows = personas.loaded_skills().exclude(slug__in=own)
        rows = rows.annotate(kind=Value("skill"), reason=Value(FOLLOWS)).order_by("slug")
        return rows.values_list("kind", "slug", "reason", named=True)


class UnpinAll(MoveAll):
    title = "Unpin everything that {agent} has?"
    text = (
        "The agent gets the newest version of each, now and whenever a new one is published. To "
        "keep some pins, unpin the others one by one: “Your actions” names what was pinned "
        "together."
    )
    label = "Unpin all"
    note = "Unpinned {subject}: {subject.names}."
    done = "Unpinned {subject} of {agent}."

    def move(self, installs):
        return installs.end_pins()

    def to_move(self, installs):
        return installs.to_unpin()

    def left_out(self, installs):
        return installs.exclude(pinned=None).without(choices.newest)


class Moved(NamedTuple):
    """The result: its numbers in words, and the `names`, each with its version before."""

    numbers: str
    names: str

    def __str__(self):
        return self.numbers


class Plan:
    """What an action would change of the agent's installs, and what it would leave out."""

    def __init__(self, action, agent):
        self.action = action
        self.installs = [
            model.objects.present().filter(agent=agent) for model in (SkillInstall, PersonaInstall)
        ]

    def __str__(self):
        return in_words({kind: len(rows) for kind, rows in self.changes.items()})

    @cached_property
    def changes(self):
        """`{kind: rows}`, each row with the numbers before and after."""
        columns = ["kind", "slug", "number", "chosen_number"]
        return {
            installs.model.kind: named(self.action.to_move(installs), *columns)
            for installs in self.installs
        }

    @property
    def is_empty(self):
        return not any(self.changes.values())

    @cached_property
    def left_out(self):
        """`{reason: rows}`"""
        by_reason = defaultdict(list)
        for installs in self.installs:
            left_out = self.action.left_out(installs).annotate(reason=reason(installs.model))
            for row in named(left_out, "kind", "slug", "reason"):
                by_reason[row.reason].append(row)
        for row in self.action.beyond(*self.installs):
            by_reason[row.reason].append(row)
        return dict(by_reason)


def named(installs, *columns):
    kind = installs.model.kind
    installs = installs.annotate(kind=Value(kind), slug=F(f"{kind}__slug"))
    return list(installs.order_by("slug").values_list(*columns, named=True))


def reason(model):
    """Why no version is available for an install."""
    is_published = Q(**{f"{model.kind}__status": Status.PUBLISHED})
    without_reason = Q(**{f"{model.kind}__withdrawal_reason": ""})
    return Case(
        When(~is_published & without_reason, then=Value("withdrawn")),
        When(~without_reason | Exists(recalled_versions(model)), then=Value("recalled")),
        default=Value("older than the first version"),
    )


def names_of(rows):
    """For example "csv-cleaning 2, pdf-tables 3"."""
    return listed([f"{row.slug} {row.number or row.chosen_number}" for row in rows], MAX_NAMED)


def in_words(counts):
    """For example "2 skills and 1 persona"."""
    words = [f"{count} {kind}{pluralize(count)}" for kind, count in counts.items() if count]
    return " and ".join(words) or "nothing"
