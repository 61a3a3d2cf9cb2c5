from marketplace.api.exceptions import Gone


class CursorExpired(Gone):
    default_detail = "cursor has expired"
