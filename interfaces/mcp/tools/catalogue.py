"""Finding and reading: what needs no token."""

from interfaces.mcp.serializers import (
    SearchPersonasSerializer,
    SearchSkillsSerializer,
    SlugSerializer,
)
from interfaces.mcp.tool import Tool, get
from interfaces.mcp.tools.pages import PAGE

SEARCH = {
    "query": "What you need, in your own words; left out: the most used first",
    "category": "Only this category, such as `development`; compared exactly",
    "tag": "Only what has all of these tags; compared exactly",
    "runtime": "Only what names this runtime, such as `python`; compared exactly",
    "author": "Only by this author; compared exactly",
    **PAGE,
}
SORT = "The order; left out: `relevance` where there is a `query`, else the most used first"

TOOLS = {
    "search_skills": Tool(
        "Search skills",
        "Find skills: instructions for one kind of task, as SKILL.md files. Answers `results`, the "
        "best first, each with its `slug`, and `count`, how many match in all. `contextTokens` is "
        "what a skill's text costs your context. Needs no token.",
        get,
        "skill-list",
        SearchSkillsSerializer,
        {**SEARCH, "bundledIn": "Only what comes with the persona of this `slug`", "sort": SORT},
    ),
    "get_skill": Tool(
        "Read a skill",
        "One skill with its whole SKILL.md text in `content`, which is what to follow, and the "
        "`personas` that bundle it. Reading does not install it. Needs no token.",
        get,
        "skill-detail",
        SlugSerializer,
        {"slug": "The skill's `slug`, from search_skills"},
        in_path="slug",
    ),
    "search_personas": Tool(
        "Search personas",
        "Find personas: roles to work in, each a prompt that bundles skills. Answers `results`, "
        "the best first, each with its `slug`, `skills`, rating and price (only what `isFree` can "
        "be installed here), and `count`, how many match in all. Needs no token.",
        get,
        "persona-list",
        SearchPersonasSerializer,
        {
            **SEARCH,
            "skill": "Only what bundles the skill of this `slug`",
            "free": "`true`: only free ones, `false`: only priced ones",
            "minRating": "Only with this average rating or better",
            "sort": SORT,
        },
    ),
    "get_persona": Tool(
        "Read a persona",
        "One persona with its prompt in `content` (null while it has a price), the `skills` that "
        "it bundles and its `ratings`. Reading does not install it. Needs no token.",
        get,
        "persona-detail",
        SlugSerializer,
        {"slug": "The persona's `slug`, from search_personas"},
        in_path="slug",
    ),
}
