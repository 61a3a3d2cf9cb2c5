from marketplace.api.exceptions import BadRequest


class PersonaNotInstalled(BadRequest):
    default_detail = "You must install this persona before reviewing it"
