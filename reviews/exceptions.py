from marketplace.api.exceptions import BadRequest, NotFound


class ReviewRequiresInstall(BadRequest):
    default_detail = "You must install this persona before reviewing it"


class ReviewNotFound(NotFound):
    default_detail = "Review not found"
