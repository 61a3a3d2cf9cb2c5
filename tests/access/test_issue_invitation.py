"""manage.py issue_invitation"""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.models import Invitation

pytestmark = pytest.mark.django_db

REGISTER = "/api/v1/agents/register"


def issue(*arguments):
    out = StringIO()
    call_command("issue_invitation", *arguments, stdout=out)
    return out.getvalue().removesuffix("\n")


@pytest.mark.contract("26.3")
def test_an_invitation_is_for_one_agent_and_a_week_by_default(anyone):
    text = issue()

    invitation = Invitation.objects.get()
    assert (invitation.uses, invitation.tier, invitation.note) == (1, "free", "")
    assert invitation.scopes == ["read", "install", "review"]
    assert timedelta(0) < timezone.now() + timedelta(days=7) - invitation.expires_at
    assert timezone.now() + timedelta(days=7) - invitation.expires_at < timedelta(minutes=1)
    assert anyone.post(REGISTER, {"invitation": text}).status_code == 201


@pytest.mark.contract("26.3")
def test_an_invitation_has_what_the_options_say():
    options = ["--uses", "10000", "--expires-in-days", "365", "--scopes", " review , read"]
    issue(*options, "--tier", "plus", "--note", "For the data team")

    invitation = Invitation.objects.get()
    assert (invitation.uses, invitation.tier, invitation.note) == (
        *(10_000, "plus", "For the data team"),
    )
    assert invitation.scopes == ["read", "review"]
    assert (invitation.expires_at - invitation.created_at).days in {364, 365}


@pytest.mark.contract("26.3")
@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (["--uses", "0"], "--uses must be from 1 to 10000."),
        (["--uses", "10001"], "--uses must be from 1 to 10000."),
        (["--expires-in-days", "0"], "--expires-in-days must be from 1 to 365."),
        (["--expires-in-days", "366"], "--expires-in-days must be from 1 to 365."),
        (
            ["--scopes", "write"],
            "Unknown scope 'write'. Scopes are read, install, review, clone, submit.",
        ),
        (["--scopes", ""], "Unknown scope ''. Scopes are read, install, review, clone, submit."),
        (["--tier", "Plus!"], "--tier must be a-z, 0-9 and hyphens, such as plus."),
        (["--note", "x" * 201], "--note must be at most 200 characters."),
        (["--note", f"mkt_agent_{'a' * 38}"], "--note must not hold a token."),
        (["--note", "For\u202e them"], "--note must not contain hidden characters."),
    ],
)
def test_a_wrong_option_is_refused(options, refusal):
    with pytest.raises(CommandError) as error:
        issue(*options)

    assert str(error.value) == refusal
    assert not Invitation.objects.exists()
