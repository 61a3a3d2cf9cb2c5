"""Deleting an agent, for its operator or for staff (contract 19.22)."""

from contextlib import suppress

from django.db import transaction
from django.utils import timezone

from submissions.exceptions import AlreadyDecided


@transaction.atomic
def delete(agent):
    """Delete an agent, but none of the rows that others count on.

    Its installs and reviews end as if it had removed them itself (contract 12.8, 14.7), what it has
    pending is withdrawn, and its claim is released. An entry keeps a row of its last maintainer, so
    that it does not become everybody's.
    """
    agent.lock()
    for installs in (agent.skill_installs, agent.persona_installs):
        installs.present().uninstall_all()
    agent.reviews.erase()
    for submission in agent.submissions.pending().for_list():
        with suppress(AlreadyDecided):  # by staff, just now
            submission.withdraw()
    agent.submissions.update(note="")
    agent.maintained.present().update(removed_at=timezone.now(), trusted_at=None)
    agent.claim.release()
    agent.refresh_from_db()
    agent.erase()
