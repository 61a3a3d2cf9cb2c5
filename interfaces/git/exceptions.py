from marketplace.api.exceptions import BadRequest, Forbidden, NotFound


class PushForbidden(Forbidden):
    default_detail = "These repositories are read-only"
    when = "A client pushes with git."
    remedy = "Fetch only."


class CatalogueTooLarge(NotFound):
    default_detail = (
        "This catalogue has more than {most} entries, too many for one repository. Clone "
        "/git/skills/<slug>.git or /git/personas/<slug>.git instead."
    )
    when = "The catalogue has more entries than one repository takes."
    remedy = "Clone the repositories of single entries, or `/git/me.git`."

    def __init__(self, most):
        super().__init__(self.default_detail.format(most=f"{most:,}"))


class NoSuchService(NotFound):
    default_detail = "Only git's smart protocol is served: git-upload-pack"
    when = "A client speaks git's dumb protocol, or names no `service`."
    remedy = "Use git 1.6.6 or newer."


class UnreadableRequest(BadRequest):
    default_detail = "Request body must be a request of git, of at most 4 MiB"
    when = "The body is not a request of git's protocol."
    remedy = "Use a git client."


class RepositoryChanged(Exception):
    """A purge started the history over while it was read."""
