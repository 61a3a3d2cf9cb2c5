from django.core.management.base import BaseCommand

from catalogue.models import Persona, Skill


class Command(BaseCommand):
    help = "Compare every stored counter with the rows that it counts; --fix sets it to them."

    def add_arguments(self, parser):
        parser.add_argument("--fix", action="store_true", help="fix what differs")

    def handle(self, *, fix, **options):
        differing = 0
        for model in (Skill, Persona):
            for entry in model.objects.miscounted().iterator():
                differing += 1
                stored = ", ".join(
                    f"{name} is {getattr(entry, name)}, "
                    f"its rows say {getattr(entry, f'true_{name}')}"
                    for name in model.COUNTERS
                    if getattr(entry, name) != getattr(entry, f"true_{name}")
                )
                self.stdout.write(f"{model.__name__.lower()} {entry.slug}: {stored}")
                if fix:
                    model.objects.recount(entry)
        if differing and not fix:
            self.stdout.write(f"{differing} differ. Run it again with --fix to fix them.")
            raise SystemExit(1)
        self.stdout.write(f"{differing} corrected." if differing else "Every counter is true.")
