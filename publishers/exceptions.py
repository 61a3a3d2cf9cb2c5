from rest_framework import status

from marketplace.api.exceptions import ApiError


class TokenNotAccepted(ApiError):
    """The one error for every refused token. Only the log has the `reason`."""

    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail = "Token is not accepted"
    when = "You exchange a token of CI that no publisher of this marketplace allows."
    remedy = (
        "Compare the run with the publisher: issuer, audience, project, branch, environment. Each "
        "token works once."
    )

    def __init__(self, reason):
        super().__init__()
        self.reason = reason
