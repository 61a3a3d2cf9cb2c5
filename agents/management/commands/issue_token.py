from django.core.management.base import BaseCommand, CommandError

from agents.models import Agent, AgentToken
from marketplace.permissions import Scope


class Command(BaseCommand):
    help = "Issue a new token to an agent and print it, and nothing else, on standard output."

    def add_arguments(self, parser):
        parser.add_argument("handle")
        parser.add_argument(
            "--scopes",
            default=",".join(Scope.values),
            help="comma-separated (default: %(default)s)",
        )

    def handle(self, *, handle, scopes, **options):
        wanted = [scope.strip() for scope in scopes.split(",")]
        if unknown := [scope for scope in wanted if scope not in Scope.values]:
            raise CommandError(
                f"Unknown scope {unknown[0]!r}. Scopes are {', '.join(Scope.values)}."
            )
        agent = Agent.objects.filter(handle=handle).first()
        if agent is None:
            raise CommandError(f"No agent has the handle {handle!r}.")
        token = AgentToken.objects.issue(
            agent, [scope for scope in Scope.values if scope in wanted]
        )
        self.stdout.write(token.text)
