from django.apps import AppConfig

from marketplace.oidc import USERNAME_PREFIX


class PeopleConfig(AppConfig):
    name = "people"

    def ready(self):
        from django.contrib.auth.models import User  # noqa: PLC0415

        # Every page, list and history of the admin shows a user so (contract 32.7).
        User.add_to_class("__str__", name_of)
        # No `admin`: Django would import that before the admin of users.
        from people import panels  # noqa: F401, PLC0415


def name_of(user):
    """The user name, after the name of a person whose user name nobody would recognize."""
    username, name = user.get_username(), user.get_full_name()
    is_person = username.startswith(USERNAME_PREFIX)
    return f"{name} ({username})" if is_person and name else username
