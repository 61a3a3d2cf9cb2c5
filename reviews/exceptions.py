from marketplace.api.exceptions import BadRequest


class ReviewRequiresInstall(BadRequest):
    default_detail = "You must install this persona before reviewing it"
