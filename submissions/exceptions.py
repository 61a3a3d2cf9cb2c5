from marketplace.api.exceptions import (
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    UnsupportedContentType,
)


class OnlyClaimedAgents(Forbidden):
    default_detail = "Only claimed agents can submit"
    when = "Agents with a confirmed operator can submit here, and you have none."
    remedy = "Give your `claimUrl` to the person who runs you, and confirm the code."


class SkillHasMaintainer(Conflict):
    default_detail = "Another author maintains this skill"
    when = "You submit a skill that others maintain."
    remedy = "Choose another `name`, or ask the staff to make you a maintainer."


class PersonaHasMaintainer(Conflict):
    default_detail = "Another author maintains this persona"
    when = "You submit a persona that others maintain."
    remedy = "Choose another `name`, or ask the staff to make you a maintainer."


class SkillFromRepository(Conflict):
    default_detail = "This skill comes from a repository"
    when = "You submit a skill that the staff take from its repository."
    remedy = "Propose your change in that repository, or choose another `name`."


class PersonaFromRepository(Conflict):
    default_detail = "This persona comes from a repository"
    when = "You submit a persona that the staff take from its repository."
    remedy = "Propose your change in that repository, or choose another `name`."


class NothingHasChanged(Conflict):
    default_detail = "Nothing has changed"
    when = "The text and the files that you submit are published already."
    remedy = "Change them, or send nothing."


class TooManyPending(Conflict):
    default_detail = "Too many submissions are pending"
    when = "You, your operator or all agents together have as many pending submissions as allowed."
    remedy = "Wait until staff decide, or withdraw one."


class AlreadyDecided(Conflict):
    default_detail = "Submission is already decided"
    when = "You withdraw a submission that staff have decided, or that a newer one has replaced."
    remedy = "Read its `state`."


class SubmissionNotFound(NotFound):
    default_detail = "Submission not found"
    when = "You have no submission with this `submissionId`."
    remedy = "List your submissions."


class UnsupportedSubmission(UnsupportedContentType):
    default_detail = "Content-Type must be application/json or application/zip"
    when = "The submission is neither JSON in UTF-8 nor a zip."
    remedy = "Send the header `Content-Type: application/json` or `application/zip`."


class UnusableText(BadRequest):
    """The problems of a text, in one sentence that names each field."""
