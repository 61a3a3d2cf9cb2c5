from django.apps import apps
from django.db import transaction

from audit.models import AuditEvent
from marketplace.acting import ActingCommand


class Command(ActingCommand):
    help = "Compare every stored counter with the rows that it counts; --fix corrects it."
    as_one = True

    def add_arguments(self, parser):
        parser.add_argument("--fix", action="store_true", help="fix what differs")

    def handle(self, *, fix, **options):
        number = 0
        for model in (model for model in apps.get_models() if hasattr(model, "COUNTERS")):
            for row in model.objects.miscounted().iterator():
                number += 1
                counters = ", ".join(
                    f"{name} is {getattr(row, name)}, its rows say {getattr(row, f'true_{name}')}"
                    for name in model.COUNTERS
                    if getattr(row, name) != getattr(row, f"true_{name}")
                )
                self.stdout.write(f"{model.__name__.lower()} {row}: {counters}")
                if fix:
                    with transaction.atomic():
                        model.objects.recount(row)
                        AuditEvent.objects.record("recount", row)
        if number and not fix:
            self.stdout.write(f"{number} differ. Run it again with --fix to fix them.")
            raise SystemExit(1)
        self.stdout.write(f"{number} corrected." if number else "Every counter is correct.")
