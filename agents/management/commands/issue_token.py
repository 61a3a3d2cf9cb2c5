from django.core.management.base import CommandError
from django.db import transaction

from agents import tokens
from agents.models import Agent, AgentToken
from audit.models import AuditEvent
from marketplace.acting import ActingCommand
from marketplace.api.scopes import DEFAULT_SCOPES, known_scopes


class Command(ActingCommand):
    help = "Issue a new token to an agent and print it, and nothing else, on standard output."

    def add_arguments(self, parser):
        parser.add_argument("handle")
        parser.add_argument(
            "--scopes",
            default=",".join(DEFAULT_SCOPES),
            help="scopes of the token, comma-separated (default: %(default)s)",
        )

        parser.add_argument(
            "--expires-in-days",
            type=int,
            metavar="N",
            help=f"1 to {tokens.MAX_DAYS} (default: it never expires)",
        )

    def handle(self, *, handle, scopes, expires_in_days, **options):
        if expires_in_days is not None and not 1 <= expires_in_days <= tokens.MAX_DAYS:
            raise CommandError(f"--expires-in-days must be from 1 to {tokens.MAX_DAYS}.")
        names = [scope.strip() for scope in scopes.split(",")]
        if unknown := [scope for scope in names if scope not in known_scopes()]:
            raise CommandError(
                f"Unknown scope {unknown[0]!r}. Scopes are {', '.join(known_scopes())}."
            )
        agent = Agent.objects.filter(handle=handle).first()
        if agent is None:
            raise CommandError(f"No agent has the handle {handle!r}.")
        expires_at = tokens.expiry(expires_in_days)
        with transaction.atomic():
            token = AgentToken.objects.issue(agent, names, expires_at=expires_at)
            message = f"Issued to {agent}."
            AuditEvent.objects.record("issue_token", token, scopes=token.scopes, message=message)
        self.stdout.write(token.text)
