from django.contrib.auth.models import User
from django.core.management.base import CommandError

from marketplace.acting import ActingCommand
from marketplace.oidc import USERNAME_PREFIX
from people.models import WayIn


class Command(ActingCommand):
    help = "Mark a user as the way in: a password opens the admin in spite of OIDC_ONLY."

    def add_arguments(self, parser):
        parser.add_argument("username")
        parser.add_argument("--remove", action="store_true", help="end that")

    def handle(self, *, username, remove, **options):
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"No user is called {username!r}.")
        if username.startswith(USERNAME_PREFIX):
            raise CommandError(f"{username} signs in at the identity provider, without a password.")
        if remove:
            if not WayIn.objects.unmark(user):
                raise CommandError(f"{username} is not marked.")
            self.stdout.write(f"Ended. With OIDC_ONLY=true, {username} cannot log in.")
            return
        WayIn.objects.mark(user)
        self.stdout.write(f"Marked. {username} may log in with a password, even with OIDC_ONLY.")
