from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User

from marketplace.acting import ActingCommand
from people.models import WayIn


class Command(ActingCommand, createsuperuser.Command):
    """Django's, which also marks its user as the way in (contract 32.12)."""

    as_one = True

    def handle(self, *args, **options):
        known = list(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        super().handle(*args, **options)
        for user in User.objects.filter(is_superuser=True).exclude(pk__in=known):
            WayIn.objects.mark(user)
