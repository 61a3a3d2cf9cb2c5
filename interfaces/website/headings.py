"""The heading of a filtered list of the website: "Free data personas by Field Notes"."""

from marketplace.hidden_text import visible

PRICES = {"true": "free", "false": "paid"}
# How the filters read after the name of the section, in this order.
AFTER = {
    "author": "by {}",
    "tag": "tagged {}",
    "runtime": "for {}",
    "license": "under {}",
    "minRating": "rated {} and up",
    "bundledIn": "of the persona {}",
    "skill": "with the skill {}",
}
# A list with only one of these filters is a page of its own for search engines.
OWN_PAGE = {"category", "author", "tag"}
MAX_TITLES = 3


def heading(section, query):
    texts = {name: query.query_params[name] for name in query.values}
    price = PRICES.get(texts.get("free", [""])[0])
    before = filter(None, [price, *texts.get("category", []), section])
    after = [
        text.format(" and ".join(texts[name])) for name, text in AFTER.items() if name in texts
    ]
    text = " ".join([*before, *after])
    return text[0].upper() + text[1:]


def description(name, count, entries):
    """The text that search engines show for a list that begins with these entries."""
    titles = ", ".join(visible(entry.title) for entry in entries[:MAX_TITLES])
    number = f"{count:,} in all" if count > MAX_TITLES else ""
    listed = "; ".join(filter(None, [titles, number]))
    about = f"{name} for software agents, to install over HTTP, MCP or npx skills"
    return f"{about}: {listed}." if listed else f"{about}."


def own_query(query):
    """The filter that makes the list a page of its own, as `{name: value}`; or {}."""
    names = [*query.values]
    is_own = len(names) == 1 and names[0] in OWN_PAGE and not query.words
    values = query.query_params[names[0]] if is_own else []
    return {names[0]: values[0]} if len(values) == 1 else {}
