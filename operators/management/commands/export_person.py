import json

from django.core.management.base import BaseCommand

from operators.management.commands.erase_person import add_person, find_person


class Command(BaseCommand):
    help = "Print what is stored about an operator, as JSON."

    def add_arguments(self, parser):
        add_person(parser)

    def handle(self, *, email, names, **options):
        person = find_person(email, names)
        self.stdout.write(json.dumps(person.export(), indent=2, ensure_ascii=False))
