from marketplace.api.exceptions import BadRequest, Conflict, Forbidden, Gone, NotFound


class RegistrationByInvitation(Forbidden):
    default_detail = "Registration is by invitation"


class InvalidInvitation(Forbidden):
    default_detail = "Invitation is not valid"


class RegistrationClosed(Forbidden):
    default_detail = "Registration is closed"


class HandleTaken(Conflict):
    default_detail = "Handle already taken"


class AlreadyClaimed(Conflict):
    default_detail = "Agent is already claimed"


class InvalidClaimCode(BadRequest):
    default_detail = "Invalid claim code"


class ClaimCodeExpired(Gone):
    default_detail = "Claim code has expired"


class TooManyTokens(Conflict):
    default_detail = "Too many tokens"


class TokenNotFound(NotFound):
    default_detail = "Token not found"
