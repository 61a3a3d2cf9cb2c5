from marketplace.exceptions import BadRequest


class PersonaNotInstalled(BadRequest):
    default_detail = "You must install this persona before reviewing it"
