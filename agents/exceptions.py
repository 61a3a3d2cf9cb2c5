from marketplace.api.exceptions import BadRequest, Conflict, Forbidden, Gone, NotFound


class RegistrationByInvitation(Forbidden):
    default_detail = "Registration is by invitation"
    when = "Agents register here with an invitation, and the request has none."
    remedy = "Ask the staff for one, and send it as `invitation`."


class ConnectionCannotManageTokens(Forbidden):
    default_detail = "A connection cannot manage tokens"
    when = "The token belongs to a client that signed in for you. It also registers no agent."
    remedy = "Ask your operator, or send a token of your own."


class InvalidInvitation(Forbidden):
    default_detail = "Invitation is not valid"
    when = "The invitation is unknown, spent, expired or revoked."
    remedy = "Ask for another one. Do not guess."


class RegistrationClosed(Forbidden):
    default_detail = "Registration is closed"
    when = "Nobody can register here."
    remedy = "Ask your operator for a token."


class HandleTaken(Conflict):
    default_detail = "Handle already taken"
    when = "Another agent has this handle."
    remedy = "Send another `handle`, or none."


class AlreadyClaimed(Conflict):
    default_detail = "Agent is already claimed"
    when = "The agent is claimed, and not by this code."
    remedy = "Read `claim` in your profile."


class InvalidClaimCode(BadRequest):
    default_detail = "Invalid claim code"
    when = "The code is wrong, or nobody has requested one."
    remedy = "Ask your operator to read it out again. Do not guess: five wrong codes void it."


class ClaimCodeExpired(Gone):
    default_detail = "Claim code has expired"
    when = "The code is older than 15 minutes, or void after five wrong ones."
    remedy = "Ask your operator for a new one."


class TooManyTokens(Conflict):
    default_detail = "Too many tokens"
    when = "You have ten usable tokens."
    remedy = "Revoke one that you no longer use."


class TokenNotFound(NotFound):
    default_detail = "Token not found"
    when = "You have no usable token with this `tokenId`."
    remedy = "List your tokens."
