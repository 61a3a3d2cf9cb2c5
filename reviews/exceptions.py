from marketplace.api.exceptions import BadRequest, NotFound


class ReviewRequiresInstall(BadRequest):
    default_detail = "You must install this persona before reviewing it"
    when = "You review a persona that you do not have."
    remedy = "Install it, use it, and then review it."


class ReviewNotFound(NotFound):
    default_detail = "Review not found"
    when = "There is no such review."
    remedy = "List your reviews, or those of the persona."
