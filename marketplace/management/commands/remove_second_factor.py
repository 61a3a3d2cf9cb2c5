from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import transaction

from marketplace.acting import ActingCommand
from marketplace.adminsite import second_factor


class Command(ActingCommand):
    help = (
        "Remove the second factor of a user who has lost the app, and end the sessions that used "
        "it."
    )

    def add_arguments(self, parser):
        parser.add_argument("username")

    def handle(self, *, username, **options):
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"No user is called {username!r}.")
        if second_factor.device_of(user) is None:
            raise CommandError(f"{username} has no second factor.")
        with transaction.atomic():
            second_factor.remove(user)
            # A command has no user of its own.
            LogEntry.objects.log_actions(
                user.pk,
                [user],
                CHANGE,
                "Removed the second factor with manage.py.",
                single_object=True,
            )
        self.stdout.write(f"Removed. The next log-in of {username} needs only the password.")
