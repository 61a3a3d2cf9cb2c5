"""What the page of an entry shows beside it, in one statement."""

from dataclasses import dataclass
from datetime import UTC, datetime

from catalogue.models import Persona, Skill
from catalogue.search.facet_counts import version_validator
from interfaces.website.sql import related_of
from marketplace.db.replicas import read_connection
from marketplace.http_cache.validators import Validator

WEEKS = 12
# Bounds what an entry with many installs costs.
MAX_AGENTS, MAX_INSTALLS = 100, 30
SHOWN = 4
STATEMENTS = {
    Skill: related_of("skill", counter=Skill.POPULARITY),
    Persona: related_of("persona", counter=Persona.POPULARITY),
}


@dataclass(frozen=True)
class Related:
    """`weeks` are the installs of the last twelve weeks, the oldest first.

    `also` is what agents with the entry have, too, `more` what its author has written; each as
    `{"slug", "title", "category"}`.
    """

    weeks: list
    also: list
    more: list
    validator: Validator | None


def related_to(entry):
    day = today()
    row = read_connection().fetch_one(
        STATEMENTS[type(entry)],
        {
            "entry": entry.pk,
            "today": day,
            "weeks": WEEKS,
            "shown": SHOWN,
            "max_agents": MAX_AGENTS,
            "max_installs": MAX_INSTALLS,
        },
    )
    # Fresh while the catalogue and the day stay the same. An install of the entry itself changes
    # its row. Other installs, and uninstalls, change what is shown here with the next of these.
    validator = Validator.of_all([version_validator(row.version), Validator(today, day)])
    return Related(row.weeks, row.also, row.more, validator)


def today():
    return datetime.now(UTC).date()
