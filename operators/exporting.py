"""What the console shows of an agent, as JSON with the names of the API (contract 19.21)."""

from django.http import JsonResponse

from agents.serializers.agents import AgentSerializer
from agents.serializers.tokens import IssuedTokenSerializer
from audit.models import AuditEvent
from catalogue.models import Persona
from installs import reads
from installs.limits import usages_of
from installs.serializers.advisories import AdvisorySerializer
from installs.serializers.installs import OwnPersonaSerializer, OwnSkillSerializer
from installs.serializers.profile import AvailableUpdateSerializer, LimitSerializer
from marketplace.api.fields import timestamp
from marketplace.features import has_connectors, has_submissions
from operators.changes import actions_of, changes_of
from operators.pages import Console
from reviews.serializers import WrittenReviewSerializer
from submissions.serializers import DecidedSubmissionSerializer

LISTS = {
    "tokens": (IssuedTokenSerializer, lambda agent: agent.tokens.valid()),
    "skills": (OwnSkillSerializer, lambda agent: agent.skill_installs.present().with_entry()),
    "personas": (OwnPersonaSerializer, lambda agent: agent.persona_installs.present().with_entry()),
    "reviews": (
        WrittenReviewSerializer,
        lambda agent: (
            agent.reviews.present()
            .select_related("persona")
            .defer(*Persona.long_columns("persona__"))
        ),
    ),
    "advisories": (AdvisorySerializer, lambda agent: reads.advisories(agent=agent.pk)),
    "updates": (AvailableUpdateSerializer, lambda agent: reads.updates(agent=agent.pk)),
}
SUBMISSIONS = DecidedSubmissionSerializer, lambda agent: agent.submissions.for_list()


def exported(claim):
    """A claimed agent and all its rows. The limits, which pass, are only in the console's file."""
    agent = claim.agent
    lists = LISTS | ({"submissions": SUBMISSIONS} if has_submissions() else {})
    return {
        **AgentSerializer(agent).data,
        "state": agent.state,
        "createdAt": timestamp(agent.created_at),
        "claim": {"operator": claim.operator_name, "claimedAt": timestamp(claim.claimed_at)},
        **{
            name: serializer(list(rows(agent)), many=True).data
            for name, (serializer, rows) in lists.items()
        },
        **({"connections": connections_of(claim)} if has_connectors() else {}),
        "actions": [
            {"at": timestamp(event.history_date), "text": event.history_change_reason}
            for event in actions_of(claim)
        ],
        "changes": [
            {"at": timestamp(change.at), "text": str(change)} for change in changes_of(claim)
        ],
    }


def connections_of(claim):
    return [
        {
            "client": connection.client.name,
            "host": connection.host or None,  # none on the operator's own computer
            "scopes": connection.scopes,
            "createdAt": timestamp(connection.created_at),
            "lastUsedAt": connection.last_used_at and timestamp(connection.last_used_at),
        }
        for connection in claim.connections.live().for_list()
    ]


class Export(Console):
    def get(self, request, handle):
        claim = self.claim_of(handle)
        by = ("operator", claim.operator_name)
        AuditEvent.objects.record("export", claim.agent, by=by)
        limits = LimitSerializer(usages_of(claim.agent), many=True).data
        return JsonResponse(
            {**exported(claim), "limits": limits},
            json_dumps_params={"indent": 2, "ensure_ascii": False},
            headers={"Content-Disposition": f'attachment; filename="{handle}.json"'},
        )
