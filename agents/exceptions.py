from marketplace.api.exceptions import BadRequest, Conflict, Gone, NotFound


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
