"""A person without an agent gets one, and an operator key (contract 35.30)."""

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.utils import timezone

from agents import tokens
from agents.models import Agent, OperatorClaim, OperatorKey
from connections.models.connections import derived
from marketplace.secrets import OPERATOR, TOKEN_SECRET_LENGTH, random_text
from operators.actions.base import note_change
from operators.forms import ClaimForm

SALT = "connections.newcomer"


class NewcomerForm(ClaimForm):
    key = None


def are_welcome():
    return settings.REGISTRATION == "open"


def page_for(path):
    """The text that a form at the path sends back."""
    return signing.dumps([path, random_text(22)], salt=SALT)


def is_page_for(path, text, seconds):
    try:
        return signing.loads(text, salt=SALT, max_age=seconds)[0] == path
    except signing.BadSignature:
        return False


def key_text(page):
    """The operator key that the form gets. It is the same for a double click."""
    return tokens.text_of(OPERATOR, derived("newcomer", page, TOKEN_SECRET_LENGTH))


@transaction.atomic
def enrol(text, client, *, name, email):
    """The operator key with this text, which gets an agent for the client if it is new."""
    key, is_new = OperatorKey.objects.get_or_create(
        digest=tokens.digest(text),
        defaults={"hint": tokens.hint(text), "confirmed_at": timezone.now()},
    )
    if is_new:
        claim = OperatorClaim(operator_name=name, operator_email=email, key=key)
        agent = Agent.objects.enrol_for(claim, name=client.name)
        note = f"Registered the agent for {client}, with the key {key}."
        note_change("register_agent", agent, name, note)
    return key
