from marketplace.api.exceptions import Gone


class CursorExpired(Gone):
    default_detail = "cursor has expired"
    when = "You stopped reading for so long that the feed has already forgotten withdrawn entries."
    remedy = "Read the feed again from the start."
