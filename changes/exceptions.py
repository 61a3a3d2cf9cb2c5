from marketplace.api.exceptions import Gone


class CursorExpired(Gone):
    default_detail = "cursor has expired"
    when = "You stopped reading so long ago that the feed has forgotten a withdrawal since."
    remedy = "Read the feed again from the start."
