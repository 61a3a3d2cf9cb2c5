import json

from audit.models import AuditEvent
from marketplace.acting import ActingCommand
from operators.management.commands.erase_person import add_person, find_data


class Command(ActingCommand):
    help = "Print what is stored about an operator, as JSON."

    def add_arguments(self, parser):
        add_person(parser)

    def handle(self, *, email, names, **options):
        data = find_data(email, names)
        handles = [claim.agent.handle for claim in data.claimed]
        AuditEvent.objects.record("export_person", kind="agent", names=handles)
        self.stdout.write(json.dumps(data.export(), indent=2, ensure_ascii=False))
