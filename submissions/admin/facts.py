"""The facts about a submission, in the words of the desk. Only staff verify a name."""

from django.db.models import Count, OuterRef, Q, Subquery
from django.template.defaultfilters import timesince, truncatechars

from catalogue.comparisons import removed
from catalogue.models import Kind, Skill, look_alikes
from marketplace.adminsite.base import link_to
from marketplace.hidden_text import visible
from submissions.admin.maintainers import may_view
from submissions.models import Maintainer, Submission, SubmittedVersion
from submissions.models.querysets import State

NAMED = 5  # maintainers that the page of a submission names


def author_of(submission):
    """As Submission.author; an agent is marked if its tokens do not work now."""
    state = submission.agent.state if submission.agent else "active"
    return submission.author if state == "active" else f"{submission.author} ({state})"


def operator_of(agent):
    """The name and how far to trust it: whether staff verified it, and the age of the key."""
    if not agent.claim.claimed_at:
        return "none", ""
    name, key = agent.claim.verified_operator, agent.claim.key
    notes = [] if name else ["not verified"]
    notes += [f"for {age_of(key)}"] if key else []
    return visible(name or agent.claim.operator), ", ".join(notes)


def age_of(row):
    return timesince(row.created_at, depth=1)


def with_facts(submissions):
    """Annotate what staff decided about the same agent, and the files of the skill as it is now.

    `published_before` and `rejected_before` are numbers, `files_before` is like Skill.files.
    """
    skill = Skill.objects.filter(slug=OuterRef("slug"))
    return submissions.annotate(
        published_before=number_of(State.PUBLISHED),
        rejected_before=number_of(State.REJECTED),
        files_before=Subquery(skill.values("files")),
    )


def number_of(state):
    """A subquery for the number of the agent's submissions in a state; NULL for none."""
    same = Submission.objects.filter(agent=OuterRef("agent"), state=state).order_by()
    return Subquery(same.values("agent").annotate(number=Count("pk")).values("number"))


def record_of(submission):
    """The decisions about its agent's submissions."""
    numbers = {"published": submission.published_before, "rejected": submission.rejected_before}
    parts = [f"{number:,} {state}" for state, number in numbers.items() if number]
    return ", ".join(parts) or "no submission decided yet"


def heading_of(submission, entry):
    """Its proposal, and whether the entry has moved on since it came."""
    number = submission.base_number
    if submission.withdraws:
        return "a withdrawal, because the repository no longer has it"
    if number is None:
        return f"a new {submission.kind}"
    if submission.state != State.PENDING or entry is None:
        return f"a change of version {number}"
    if entry.number == number:
        return f"a change of version {number}, the current one"
    return (
        f"a change of version {number}. The current one is {entry.number}: publishing this undoes "
        "the changes since"
    )


def facts_of(request, submission, entry):
    """The facts to know before reading the text, as (label, value, address, note)."""
    agent = submission.agent
    if agent:
        note = f"for {age_of(agent)}, {record_of(submission)}"
        yield "Author", author_of(submission), link_to(request, "agents.agent", agent.pk), note
        key = agent.claim.key_id
        name, note = operator_of(agent)
        yield "Operator", name, link_to(request, "agents.operatorkey", key) if key else "", note
    elif submission.source:
        yield from facts_of_source(request, submission)
    else:
        yield "Author", author_of(submission), "", "on the staff"
    if entry and may_view(request) and not submission.source:
        yield "Maintained by", *maintainers_of(entry, agent)
    if any(found["code"] == "look-alike" for found in submission.findings):
        for slug in look_alikes(submission.model, [submission.slug]).values():
            other = submission.model.objects.only("pk").get(slug=slug)
            yield "Looks like", slug, link_to(request, f"catalogue.{other.kind}", other.pk), ""
    if submission.sent_from:
        yield "Sent from", submission.sent_from, "", ""
    files = f" in {len(submission.files) + 1:,} files" if submission.files else ""
    yield "Submitted", f"{age_of(submission)} ago", "", f"{submission.size:,} bytes{files}"


def facts_of_source(request, submission):
    address = link_to(request, "sources.source", submission.source_id)
    yield "Author", author_of(submission), address, "a source"
    yield "File", submission.path, "", f"at {submission.commit}"


def maintainers_of(entry, agent):
    """(names, no address, whether the author is one of them), for the facts. One query."""
    rows = Maintainer.objects.of(entry).select_related("agent")
    if agent:
        own = Maintainer.objects.of(entry).including(agent).values("pk")
        rows = rows.annotate(is_author=Q(pk__in=own))
    present = [row for row in rows if row.removed_at is None]
    names = [f"@{row.agent.handle}" for row in present]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    text = ", ".join(names[:NAMED]) + more or ("nobody" if rows else "staff")
    if not (agent and names):
        return text, "", ""
    is_one = any(row.is_author for row in present)
    return text, "", f"the author is {'' if is_one else 'not '}one of them"


def removed_files(submission):
    """The changes of the files that a pending change would remove from the skill."""
    is_change = submission.kind == Kind.SKILL and submission.base_number is not None
    if submission.withdraws or not is_change or submission.state != State.PENDING:
        return []
    before = submission.files_before or []
    after = {file["path"] for file in submission.files}
    return [removed(file) for file in before if file["path"] not in after]


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
    state = "approved" if submission.withdraws and submission.number is None else submission.state
    return f"{start} was {state}{who} at {submission.decided_at:%H:%M on %d %B %Y}."


def outcome_of(submission):
    """The same for a list, with the start of the reason."""
    if not submission.decided_at:
        return ""
    who = f"by {submission.decided_by}, " if submission.decided_by else ""
    why = f": {truncatechars(submission.reason, 60)}" if submission.reason else ""
    return f"{who}{submission.decided_at:%d %b %Y}{why}"


def origins_of(entry, numbers):
    """`{number: text}`: who submitted and who published versions of an entry."""
    rows = SubmittedVersion.objects.numbered(entry.kind, entry.pk, numbers).items()
    return {
        number: f"submitted by {row.author}{f' at {row.commit}' if row.commit else ''}, published "
        + (f"by {row.published_by}" if row.published_by else "at once")
        + (f"; sent from {row.sent_from}" if row.sent_from else "")
        for number, row in rows
    }
