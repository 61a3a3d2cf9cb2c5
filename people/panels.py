"""What the page of a user says about the account at the identity provider (contract 32.8)."""

from django.contrib import admin
from django.contrib.auth.models import User
from django.utils import timezone

from people.models import Person


def account_panel(_admin, _request, user):
    person = Person.objects.filter(user=user).first()
    if person is None:
        return None
    groups = ", ".join(person.groups) or "none that counts here"
    looked = f"{timezone.localtime(person.looked_at):%d %b %Y, %H:%M}" if person.looked_at else ""
    overwritten = "Each sign-in overwrites the name and the roles of this user with those there."
    return {
        "title": "Company account",
        "rows": [
            (overwritten, "", ""),
            (f"Groups: {groups}", looked, ""),
            (f"{person.subject} at {person.issuer}", "", ""),
        ],
    }


admin.site.get_model_admin(User).extend(panels=[account_panel])
