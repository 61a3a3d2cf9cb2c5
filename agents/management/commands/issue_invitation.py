from django.core.management.base import CommandError
from django.db import transaction

from agents.models import Invitation
from agents.models.invitations import DEFAULT_DAYS, DEFAULT_USES, MAX_DAYS, MAX_USES
from audit.models import AuditEvent
from marketplace.acting import ActingCommand
from marketplace.api.scopes import DEFAULT_SCOPES, known_scopes
from marketplace.environment import TIER
from marketplace.hidden_text import has_refused
from marketplace.models import max_length
from marketplace.ratelimits.rates import FREE_TIER
from marketplace.secrets import holds_token


class Command(ActingCommand):
    help = "Issue an invitation to register and print it, and nothing else, on standard output."

    def add_arguments(self, parser):
        parser.add_argument(
            "--uses",
            type=int,
            metavar="N",
            default=DEFAULT_USES,
            help=f"how many agents may register with it, 1 to {MAX_USES} (default: %(default)s)",
        )
        parser.add_argument(
            "--expires-in-days",
            type=int,
            metavar="N",
            default=DEFAULT_DAYS,
            help=f"1 to {MAX_DAYS} (default: %(default)s)",
        )
        parser.add_argument(
            "--scopes",
            default=",".join(DEFAULT_SCOPES),
            help="scopes of their tokens, comma-separated (default: %(default)s)",
        )
        parser.add_argument(
            "--tier", default=FREE_TIER, help="tier of their rate limits (default: %(default)s)"
        )
        parser.add_argument("--note", default="", help="a note that only staff see")

    def handle(self, *, uses, expires_in_days, scopes, tier, note, **options):
        names = [scope.strip() for scope in scopes.split(",")]
        check_number("--uses", uses, MAX_USES)
        check_number("--expires-in-days", expires_in_days, MAX_DAYS)
        if unknown := [scope for scope in names if scope not in known_scopes()]:
            raise CommandError(
                f"Unknown scope {unknown[0]!r}. Scopes are {', '.join(known_scopes())}."
            )
        if not TIER.fullmatch(tier):
            raise CommandError("--tier must be a-z, 0-9 and hyphens, such as plus.")
        if len(note) > (longest := max_length(Invitation, "note")):
            raise CommandError(f"--note must be at most {longest} characters.")
        if holds_token(note):
            raise CommandError("--note must not hold a token.")
        if has_refused(note):
            raise CommandError("--note must not contain hidden characters.")
        with transaction.atomic():
            invitation = Invitation.objects.issue(
                uses=uses, expires_in_days=expires_in_days, scopes=names, tier=tier, note=note
            )
            AuditEvent.objects.record("issue_invitation", invitation, scopes=invitation.scopes)
        self.stdout.write(invitation.text)


def check_number(name, number, highest):
    if not 1 <= number <= highest:
        raise CommandError(f"{name} must be from 1 to {highest}.")
