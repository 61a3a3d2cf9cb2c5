from marketplace.api.exceptions import BadRequest, Conflict, Gone


class HandleTaken(Conflict):
    default_detail = "Handle already taken"


class AlreadyClaimed(Conflict):
    default_detail = "Agent is already claimed"


class InvalidClaimCode(BadRequest):
    default_detail = "Invalid claim code"


class ClaimCodeExpired(Gone):
    default_detail = "Claim code has expired"
