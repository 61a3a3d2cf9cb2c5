import logging
from hashlib import sha256

from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.utils import timezone

from marketplace import oidc
from marketplace.adminsite.roles import before_and_after, names_of
from marketplace.adminsite.sessions import end_sessions
from marketplace.issuers import PublishedKeys, discover, fetch_keys, own_path
from marketplace.names import has_controls
from people.exceptions import LINKED, NO_GROUP, SWITCHED_OFF, TAKEN, SignInRefused

MAX_NAME, MAX_SUBJECT = 150, 255  # characters
ENDPOINTS = ["authorization_endpoint", "token_endpoint"]

logger = logging.getLogger(__name__)


class Provider(PublishedKeys):
    """What the company's identity provider publishes (contract 32.4)."""

    # Its discovery document, as far as sign-in needs it.
    metadata = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["url"], name="unique_provider_url")]

    @classmethod
    def current(cls):
        """That of OIDC_ISSUER, with fresh documents. Raises IssuerUnavailable."""
        provider, _ = cls.objects.get_or_create(url=settings.OIDC_ISSUER)
        if provider.is_old:
            provider.refresh()
        return provider

    @staticmethod
    def documents(issuer, deadline):
        document = discover(issuer, deadline)
        for name in ENDPOINTS:
            own_path(issuer, document.get(name), f"its {name} is")
        metadata = {name: document[name] for name in ENDPOINTS} | {
            "methods": texts_in(document.get("token_endpoint_auth_methods_supported")),
            "scopes": texts_in(document.get("scopes_supported")),
            "sends_iss": document.get("authorization_response_iss_parameter_supported") is True,
        }
        return {"keys": fetch_keys(issuer, document, deadline), "metadata": metadata}


class PersonQuerySet(models.QuerySet):
    def look(self, claims):
        """The person of a verified ID token, with the roles of the groups in it.

        Raises SignInRefused. A person without a mapped group has lost all roles by then.
        """
        groups = groups_in(claims)
        with transaction.atomic():
            person = self.of(claims, may_make=bool(groups))
            if person:
                person.take(groups, name_in(claims))
        username = username_of(claims["iss"], claims["sub"])
        if not groups:
            raise SignInRefused(NO_GROUP, username=username)
        if not person.user.is_active:
            raise SignInRefused(SWITCHED_OFF, username=username)
        return person

    def of(self, claims, *, may_make):
        """The locked row of a person; None if there is none and it may not be made."""
        issuer, subject = claims["iss"], claims["sub"]
        rows = self.filter(issuer=issuer, subject=subject)
        if may_make:
            username = username_of(issuer, subject)
            # Of two first sign-ins at once, the second waits here for the first.
            user, is_new = User.objects.get_or_create(
                username=username, defaults={"password": make_password(None)}
            )
            if is_new:
                self.create(issuer=issuer, subject=subject, user=user)
            elif not rows.exists():
                raise SignInRefused(TAKEN, f"{username} is a local user", username)
        return rows.select_for_update(no_key=True, of=["self"]).select_related("user").first()


class Person(models.Model):
    """Somebody at the company's identity provider, and the user of that person (contract 32.7)."""

    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=MAX_SUBJECT)
    user = models.OneToOneField(User, models.CASCADE, related_name="person")
    # Those of the last look that OIDC_GROUPS names, and no others.
    groups = ArrayField(models.TextField(), default=list)
    looked_at = models.DateTimeField(null=True)

    objects = PersonQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["subject", "issuer"], name="unique_person"),
        ]

    def __str__(self):
        return str(self.user)

    @property
    def is_member(self):
        return oidc.MEMBERS in roles_of(self.groups)

    @property
    def role_names(self):
        return [*names_of(self.user), *(["member"] if self.is_member else [])]

    def take(self, groups, name):
        """Replace the roles with those of the groups, and record it (contract 32.8)."""
        roles, user, before = roles_of(groups), self.user, self.role_names
        user.first_name, user.last_name = name, ""
        user.is_superuser = oidc.SUPERUSERS in roles
        user.is_staff = bool(roles - {oidc.MEMBERS})
        user.save(update_fields=["first_name", "last_name", "is_superuser", "is_staff"])
        names = [oidc.DJANGO_GROUPS[role] for role in roles & oidc.DJANGO_GROUPS.keys()]
        user.groups.set(Group.objects.filter(name__in=names))
        user.user_permissions.clear()
        self.groups, self.looked_at = groups, timezone.now()
        self.save(update_fields=["groups", "looked_at"])
        if change := before_and_after(before, self.role_names):
            record(user, change)
            if not roles:
                end_sessions(user)


class WayInQuerySet(models.QuerySet):
    @transaction.atomic
    def mark(self, user):
        """Also record it, unless the user is marked already."""
        _, is_new = self.get_or_create(user=user)
        if is_new:
            record(user, "Marked as the way in with manage.py.")

    @transaction.atomic
    def unmark(self, user):
        """Whether the user was marked."""
        number, _ = self.filter(user=user).delete()
        if number:
            record(user, "No longer the way in, by manage.py.")
        return bool(number)


class WayIn(models.Model):
    """Marks a user whose password opens the admin in spite of OIDC_ONLY (contract 32.12)."""

    user = models.OneToOneField(User, models.CASCADE, related_name="way_in", primary_key=True)
    marked_at = models.DateTimeField(auto_now_add=True)

    objects = WayInQuerySet.as_manager()

    def __str__(self):
        return str(self.user)


def record(user, change):
    """Write a change into history and log that no other user has made."""
    LogEntry.objects.log_actions(user.pk, [user], CHANGE, change, single_object=True)
    logger.warning("%s: %s", user, change)


def username_of(issuer, subject):
    digest = sha256(f"{issuer} {subject}".encode()).hexdigest()
    return f"{oidc.USERNAME_PREFIX}{digest[:12]}"


def groups_in(claims):
    """The groups of an ID token that OIDC_GROUPS names. Raises SignInRefused for a mere link."""
    name = settings.OIDC_GROUPS_CLAIM
    names = claims.get("_claim_names")
    if name not in claims and isinstance(names, dict) and name in names:
        raise SignInRefused(LINKED, username=username_of(claims["iss"], claims["sub"]))
    listed = claims.get(name)
    # Some providers send one group as a text.
    listed = [listed] if isinstance(listed, str) else texts_in(listed)
    return sorted(set(listed) & set().union(*settings.OIDC_GROUPS.values()))


def roles_of(groups):
    return {role for role, mapped in settings.OIDC_GROUPS.items() if mapped & set(groups)}


def name_in(claims):
    """The person's name on one line, or "" if the token has none that pages can show."""
    for claim in ("name", "preferred_username"):
        name = claims.get(claim)
        if isinstance(name, str) and (name := " ".join(name.split())[:MAX_NAME].strip()):
            return "" if has_controls(name) else name
    return ""


def texts_in(values):
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
