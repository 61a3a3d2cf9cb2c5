# The arguments of every list.
PAGE = {
    "limit": "At most so many results",
    "cursor": "The `next` of an earlier response, for what comes after it",
}
