"""The model of an agent's tokens: creating, replacing and ending them."""

from datetime import timedelta

from tests.system.matchers import Opaque, StartsWith, Timestamp
from tests.system.model_agents import EVERY_SCOPE, SCOPES, Reply, Token, error, forbidden, operation

MAX_TOKENS = 10  # usable ones that an agent can create


def usable(agent):
    return [token for token in agent.tokens if token.is_usable]


def lacking(token, scopes):
    """The response to a token that lacks one of these scopes, or None."""
    is_full = token.expires is None and {*SCOPES} <= {*token.scopes}
    held = {*token.scopes, *(["submit"] if is_full else [])}
    missing = next((scope for scope in scopes if scope not in held), None)
    return None if missing is None else forbidden(missing)


def earlier(*expiries):
    """The earliest of these times; None is never."""
    return min(filter(None, expiries), key=lambda expiry: expiry.earliest, default=None)


def listed(token, caller):
    return {
        "tokenId": token.token_id,
        "name": token.name,
        "hint": token.hint,
        "scopes": token.scopes,
        "createdAt": token.created,
        "lastUsedAt": token.used,
        "expiresAt": token.expires,
        "isCurrent": token is caller,
    }


def with_text(token):
    """A new token, in the one response that shows its text."""
    return {
        "message": StartsWith(),
        "tokenId": token.token_id,
        "name": token.name,
        "token": token.text,
        "tokenType": "Bearer",
        "scopes": token.scopes,
        "tokenExpiresAt": token.expires,
        "createdAt": token.created,
    }


class TokenRules:
    def new_text(self):
        return Opaque(r"mkt_agent_[0-9A-Za-z]{38,}", self.seen)

    def issue(self, agent, text, scopes, *, name="", expires=None):
        token = Token(text, agent, scopes, name=name, expires=expires)
        token.token_id, token.created = self.opaque("token"), Timestamp(self.interval)
        agent.tokens.append(token)
        return token

    @operation("read")
    def list_tokens(self, token, _body):
        rows = [listed(other, token) for other in reversed(usable(token.agent))]
        return Reply(200, {"results": rows, "count": len(rows), "next": None, "previous": None})

    @operation("read", policy="manage")
    def create_token(self, token, body):
        scopes = [scope for scope in EVERY_SCOPE if scope in (body.get("scopes") or token.scopes)]
        if refused := lacking(token, scopes):
            return refused
        if len(usable(token.agent)) >= MAX_TOKENS:
            return error(409, "Too many tokens")
        days = body.get("expiresInDays")
        expiry = days and Timestamp(self.interval, after=timedelta(days=days))
        created = self.issue(
            token.agent,
            self.new_text(),
            scopes,
            name=body.get("name") or "",
            expires=earlier(expiry, token.expires),
        )
        return Reply(201, with_text(created))

    @operation("read", policy="manage")
    def rotate_token(self, token, body):
        grace = (body or {}).get("graceSeconds") or 0
        if grace and len(usable(token.agent)) >= MAX_TOKENS:
            return error(409, "Too many tokens")
        created = self.issue(
            token.agent, self.new_text(), token.scopes, name=token.name, expires=token.expires
        )
        end = Timestamp(self.interval, after=timedelta(seconds=grace))
        token.expires = earlier(token.expires, end)
        token.is_usable, token.scopes = grace > 0, ["read"]
        return Reply(201, {**with_text(created), "previousTokenExpiresAt": token.expires})

    @operation("read", policy="manage")
    def delete_token(self, token, path):
        matches = [t for t in usable(token.agent) if t.token_id.value == path["tokenId"]]
        if not matches:
            return error(404, "Token not found")
        if refused := lacking(token, matches[0].scopes):
            return refused
        matches[0].is_usable = False
        return Reply(200, {"message": StartsWith(), "tokenId": matches[0].token_id})

    def revoke_leaked_token(self, _token, body):
        text = body["token"]
        for token in self.tokens:
            if str(token.text) == text:
                token.is_usable = False
        return Reply(200, {"message": "If the token existed, it is revoked"})
