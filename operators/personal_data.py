"""What is stored about one operator, by e-mail address (contract 7.12, 7.13)."""

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Value
from django.db.models.functions import Replace

from agents.models import Agent, AgentToken, ClaimCode, OperatorClaim, OperatorKey
from audit.models import AuditEvent
from marketplace.api.fields import timestamp
from marketplace.secrets import random_text
from operators.exporting import exported
from reviews.models import Review

# The sentences of histories that name an operator; `operator` of a snapshot does, too.
SENTENCES = "the claim of {}.", "the agent from {}, with the key"


class PersonalData:
    """All about an operator, with the agents that are claimed under the address now.

    A claim that is released keeps no address. `names` are of such claims, which histories have.
    """

    def __init__(self, email, names=()):
        self.names = list(names)
        self.claims = OperatorClaim.objects.of_address(email).select_related("agent", "key")
        self.codes = ClaimCode.objects.filter(operator_email__iexact=email).select_related(
            "claim__agent"
        )
        self.claimed = list(self.claims.claimed().order_by("pk"))
        self.agents = [claim.agent_id for claim in self.claimed]
        self.keys = OperatorKey.objects.filter(claims__in=self.claimed).distinct()
        key = random_text(8).lower()
        self.pseudonym, self.pseudonymous_email = f"former operator {key}", f"{key}@erased.invalid"

    @property
    def is_known(self):
        return bool(self.names) or self.claims.exists() or self.codes.exists()

    def export(self):
        return {
            "claims": [data_of_claim(claim) for claim in self.claims.order_by("pk")],
            "codes": [data_of_code(code) for code in self.codes],
            "keys": [data_of_key(key) for key in self.keys.prefetch_related("sessions")],
            "histories": [
                {
                    "name": row.operator,
                    "at": timestamp(row.history_date),
                    "text": row.history_change_reason,
                }
                for rows, names in self.histories()
                for row in rows.filter(operator__in=names)
            ],
            "log": [
                {"at": timestamp(entry.action_time), "text": entry.change_message}
                for rows, name in self.log_entries()
                for sentence in SENTENCES
                for entry in rows.filter(change_message__contains=sentence.format(name))
            ],
            "events": [event.as_dict for event in self.events()],
            "agents": [exported(claim) for claim in self.claimed],
        }

    def histories(self):
        """(snapshots, names to look for in them): everywhere, only the names that were given."""
        current = [claim.operator_name for claim in self.claimed]
        yield Agent.history.filter(id__in=self.agents), current
        yield AgentToken.history.filter(agent__in=self.agents), current
        yield Agent.history.all(), self.names
        yield AgentToken.history.all(), self.names

    def log_entries(self):
        """(entries of the staff's log, a name to look for in them), as `histories`."""
        of_agents = LogEntry.objects.filter(
            content_type=ContentType.objects.get_for_model(Agent)
        ).order_by("pk")
        own = of_agents.filter(object_id__in=[str(pk) for pk in self.agents])
        yield from ((own, claim.operator_name) for claim in self.claimed)
        yield from ((of_agents, name) for name in self.names)

    def events(self):
        """The operator's acts: under an own key, with an own agent, or under a given name."""
        hints = [key.hint for key in self.keys]
        acts = {
            *((claim.operator_name, claim.agent.handle) for claim in self.claims),
            *((code.operator_name, code.claim.agent.handle) for code in self.codes),
        }
        names = [*hints, *self.names]
        events = AuditEvent.objects.filter(
            actor_kind=AuditEvent.Actor.OPERATOR,
            actor_name__in=[*names, *(name for name, _ in acts)],
        )
        for event in events.order_by("pk"):
            objects = [event.object_name, *event.details.get("names", [])]
            if event.actor_name in names or acts & {(event.actor_name, one) for one in objects}:
                yield event

    def other_names(self):
        """The names of others who operated these agents, or of this person before."""
        known = ["", *self.names, *(claim.operator_name for claim in self.claimed)]
        rows = Agent.history.filter(id__in=self.agents).exclude(operator__in=known)
        return sorted(set(rows.values_list("operator", flat=True)))

    def erase(self, *, review_texts):
        """Put a pseudonym in place of the name and the address; the claims stay.

        Returns the number of changed rows by what they are. Call it in a transaction.
        """
        # As the operator's actions do, so that one which waits for this writes no old name.
        agents = Agent.objects.select_for_update(no_key=True).only("pk").order_by("pk")
        list(agents.filter(pk__in=self.agents))
        changes = {
            "claim codes, deleted": self.codes.count(),
            "entries of histories, with a pseudonym": self.rename_in_histories(),
            "log entries of staff, with a pseudonym": self.rename_in_log(),
        }
        self.codes.void()
        verified = self.keys.filter(verified_at__isnull=False)
        changes["verifications by staff, ended"] = verified.update(verified_at=None)
        changes["pending claims, without name and address"] = self.claims.filter(
            claimed_at=None
        ).update(operator_name="", operator_email="", code_digest="")
        changes["claims, with a pseudonym"] = self.claims.update(
            operator_name=self.pseudonym, operator_email=self.pseudonymous_email
        )
        for claim in self.claimed:
            note = "Replaced the operator's name and address with a pseudonym."
            claim.agent.take_snapshot(operator=self.pseudonym, reason=note, is_event=True)
        if review_texts:
            changes["reviews, without their texts"] = self.erase_review_texts()
        return changes

    def rename_in_histories(self):
        return sum(
            rows.filter(operator=name).update(operator=self.pseudonym)
            + rename(rows, "history_change_reason", name, self.pseudonym)
            for rows, names in self.histories()
            for name in names
        )

    def rename_in_log(self):
        return sum(
            rename(rows, "change_message", name, self.pseudonym)
            for rows, name in self.log_entries()
        )

    def erase_review_texts(self):
        own = {"agent__in": self.agents}
        Review.history.filter(**own).update(comment="")
        return Review.objects.filter(**own).exclude(comment="").update(comment="")


def rename(rows, column, name, pseudonym):
    """Replace a name in the SENTENCES of a column; returns how many rows changed."""
    number = 0
    for sentence in SENTENCES:
        old, new = sentence.format(name), sentence.format(pseudonym)
        found = rows.filter(**{f"{column}__contains": old})
        number += found.update(**{column: Replace(column, Value(old), Value(new))})
    return number


def data_of_claim(claim):
    return {
        "handle": claim.agent.handle,
        "status": claim.status,
        "name": claim.operator_name,
        "email": claim.operator_email,
    }


def data_of_code(code):
    return {
        "handle": code.claim.agent.handle,
        "name": code.operator_name,
        "email": code.operator_email,
        "validUntil": timestamp(code.code_expires_at),
    }


def data_of_key(key):
    return {
        "hint": key.hint,
        "createdAt": timestamp(key.created_at),
        "lastUsedAt": key.last_used_at and timestamp(key.last_used_at),
        "sessions": [timestamp(session.created_at) for session in key.sessions.all()],
    }
