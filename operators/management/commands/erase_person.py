from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction

from audit.models import AuditEvent
from marketplace.acting import ActingCommand
from operators.personal_data import PersonalData

STAYS = """\
What stays:
- The ratings, installs, reports, submissions and published texts of the agents.{texts}
- The agents' names and descriptions. To erase these, delete the agents in the admin.
- The operator's key, which still opens the console. To end that, revoke it in the admin.
- Notes, reasons and reports, which may name the person as free text.
- The audit trail, with names and client addresses, {trail}. Nobody can change it.
- The log, which has client addresses if ACCESS_LOG is set, until you delete it.
- Backups that are older, until you delete them."""


class Command(ActingCommand):
    help = (
        "Replace an operator's name and e-mail address with a pseudonym. Shows what goes and what "
        "stays; --yes changes it."
    )

    def add_arguments(self, parser):
        add_person(parser)
        parser.add_argument(
            "--review-texts",
            action="store_true",
            help="erase the texts of the agents' reviews, too",
        )
        parser.add_argument("--yes", action="store_true", help="change it; you cannot undo this")

    def handle(self, *, email, names, review_texts, yes, **options):
        with transaction.atomic():
            data = find_data(email, names)
            others = data.other_names()
            changes = data.erase(review_texts=review_texts)
            if any(changes.values()):
                handles = [claim.agent.handle for claim in data.claimed]
                AuditEvent.objects.record("erase_person", kind="agent", names=handles)
            transaction.set_rollback(not yes)
        self.stdout.write("What goes:")
        for what, number in changes.items():
            self.stdout.write(f"- {number} {what}")
        for line in about(data, others):
            self.stdout.write(line)
        self.stdout.write(what_stays(review_texts=review_texts))
        if yes:
            # With this address, the command finds the person again, for the texts of reviews.
            self.stdout.write(f"The pseudonym: {data.pseudonym}, {data.pseudonymous_email}")
        else:
            self.stdout.write("Nothing has changed. To change this, add --yes.")


def about(data, others):
    if data.claimed:
        yield f"The agents: {', '.join(claim.agent.handle for claim in data.claimed)}"
    if others:
        yield (
            f"Their histories also name: {', '.join(others)}. If the person had one of these "
            "names before, add it with --name."
        )


def what_stays(*, review_texts):
    days = settings.AUDIT_DAYS
    return STAYS.format(
        texts="" if review_texts else " Texts of reviews, too: --review-texts erases them.",
        trail=f"for {days} days (AUDIT_DAYS)" if days else "for good (AUDIT_DAYS=0)",
    )


def add_person(parser):
    parser.add_argument("email", help="the address that the operator entered")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        dest="names",
        metavar="NAME",
        help="a name from before a claim was released, which histories still have; may be repeated",
    )


def find_data(email, names):
    """The PersonalData of an operator. Raises CommandError."""
    data = PersonalData(email, names)
    if not data.is_known:
        raise CommandError(
            f"No claim has the address {email}. A claim that was released has none: to find a "
            "name that histories still have, add --name."
        )
    return data
