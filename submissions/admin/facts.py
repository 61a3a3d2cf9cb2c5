"""The author of a submission, in the words of the desk. Only staff verify a name."""

from django.db.models import Count, OuterRef, Subquery
from django.template.defaultfilters import timesince

from submissions.models import Submission, SubmittedVersion
from submissions.models.submissions import State


def author_of(submission):
    """`@handle`, marked if its tokens do not work now; or the name of one of the staff."""
    state = submission.agent.state if submission.agent else "active"
    return submission.author if state == "active" else f"{submission.author} ({state})"


def operator_of(agent):
    if not agent.claim.claimed_at:
        return "none"
    return agent.claim.verified_operator or f"{agent.claim.operator} (not verified)"


def ages_of(agent):
    """How long the agent and its operator's key exist."""
    key = agent.claim.key
    operator = f", operator {timesince(key.created_at, depth=1)}" if key else ""
    return f"agent {timesince(agent.created_at, depth=1)}{operator}"


def with_record(submissions):
    """Annotate `published_before` and `rejected_before`: how staff decided for the same agent."""
    return submissions.annotate(
        published_before=number_of(State.PUBLISHED), rejected_before=number_of(State.REJECTED)
    )


def number_of(state):
    """How many submissions of the agent are in a state, as a subquery; NULL if none is."""
    same = Submission.objects.filter(agent=OuterRef("agent"), state=state).order_by()
    return Subquery(same.values("agent").annotate(number=Count("pk")).values("number"))


def record_of(submission):
    """The decisions about its agent's earlier submissions."""
    published, rejected = submission.published_before or 0, submission.rejected_before or 0
    return f"{published:,} published, {rejected:,} rejected" if published or rejected else "none"


def change_of(submission):
    number = submission.base_number
    return "new" if number is None else f"change of {number}"


def decision_of(submission):
    """Its outcome, the person who decided, and the time, as one sentence."""
    start = f"{submission.slug}, submitted by {submission.author},"
    if submission.state == State.PENDING:
        return f"{start} is pending."
    if submission.state == State.WITHDRAWN:
        return f"{start} was withdrawn by its author."
    if submission.state == State.REPLACED:
        return f"{start} was replaced by a newer one of its author."
    who = f" by {submission.decided_by}" if submission.decided_by else ""
    return f"{start} was {submission.state}{who} at {submission.decided_at:%H:%M on %d %B %Y}."


def origins_of(entry, numbers):
    """`{number: text}`: who submitted and who published versions of an entry."""
    rows = SubmittedVersion.objects.numbered(entry.kind, entry.pk, numbers).items()
    return {
        number: f"submitted by {row.author}, published "
        + (f"by {row.published_by}" if row.published_by else "at once")
        for number, row in rows
    }
