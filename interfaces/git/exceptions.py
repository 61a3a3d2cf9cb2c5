from marketplace.api.exceptions import ApiError, BadRequest, NotFound, Unavailable


class PushForbidden(ApiError):
    status_code = 403
    default_detail = "These repositories are read-only"


class CatalogueTooLarge(NotFound):
    def __init__(self, most):
        super().__init__(
            f"This catalogue has more than {most:,} entries, too many for one repository. Clone "
            "/git/skills/<slug>.git or /git/personas/<slug>.git instead."
        )


class NoSuchService(NotFound):
    default_detail = "Only git's smart protocol is served: git-upload-pack"


class UnreadableRequest(BadRequest):
    default_detail = "Request body must be a request of git, of at most 256 KiB"


class RepositoryChanged(Unavailable):
    """The history was begun anew while it was read; the same request may succeed later."""
