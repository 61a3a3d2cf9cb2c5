"""The requests that bench.scale measures: {kind: [(method, path, options)]}."""

from agents.models import Agent, AgentToken
from catalogue.models import FREE, Persona, Skill
from search import reads
from search.filters import SkillQuery
from search.models import FacetCount

API = "/api/v1"
REPEATS = 25
SORTS = {
    "skills": ["downloads", "newest", "updated", "name"],
    "personas": ["installs", "rating", "price"],
}


def all_kinds():
    skill = Skill.objects.latest("id")
    versions = f"/skills/{skill.slug}/versions"
    one = {
        "a skill": get(f"/skills/{skill.slug}"),
        "the versions of a skill": get(versions),
        "a version of a skill": get(f"{versions}/1"),
    }
    return lists() | searches() | one | of_an_agent()


def get(path, headers=None):
    return [("get", API + path, {"headers": headers} if headers else {})] * REPEATS


def lists():
    return {
        **{
            f"{kind} by {sort}": get(f"/{kind}?sort={sort}")
            for kind, sorts in SORTS.items()
            for sort in sorts
        },
        "a middle page, by newest": get(middle("newest", "created_at")),
        "a middle page, by downloads": get(middle("downloads", "downloads")),
        "of a category": get("/skills?category=category-3"),
        "of a tag": get("/skills?tag=tag-20"),
        "of a runtime": get("/skills?runtime=runtime-3"),
        "of an author": get("/skills?author=author-20"),
        "of a license": get("/skills?license=MIT"),
        "of a category and a tag": get("/skills?category=category-3&tag=tag-20"),
    }


def middle(sort, key):
    """The path of the page that begins in the middle of a list."""
    page = reads.skills.page(SkillQuery({"sort": [sort]}))
    row = Skill.objects.order_by(f"-{key}", "-id")[page.count // 2]
    row.sort_key = getattr(row, key)
    return f"/skills?sort={sort}&cursor={page.cursor_of(row, reverse=False)}"


def searches():
    words = FacetCount.objects.filter(kind="skill", facet="word").order_by("-entries")
    rare = words.filter(entries__lte=3).values_list("value", flat=True)[0]
    # Every slug and every tag of this database begin alike.
    real = words.exclude(value__in=["bench", "tag"])
    common, second = real.values_list("value", flat=True)[:2]
    return {
        "search: a rare word": get(f"/skills?q={rare}"),
        "search: a common word": get(f"/skills?q={common}"),
        "search: two common words": get(f"/skills?q={common}+{second}"),
        "search: a common word by downloads": get(f"/skills?q={common}&sort=downloads"),
        "search: a common word of a category": get(f"/skills?q={common}&category=category-3"),
        "search: a mistyped word": get(f"/skills?q={common[:-1]}q"),
    }


def of_an_agent():
    """An agent's reads, and its writes, each about another entry."""
    agent = Agent.objects.get(handle="bench-1")
    skills = list(Skill.objects.order_by("-id").values_list("slug", flat=True)[:REPEATS])
    personas = list(
        Persona.objects.filter(price_cents=FREE)
        .exclude(agent_installs__agent=agent)
        .order_by("-id")
        .values_list("slug", flat=True)[:REPEATS]
    )
    agent.skill_installs.filter(skill__slug__in=skills).delete()
    token = AgentToken.objects.issue(agent).text
    headers = {"authorization": f"Bearer {token}", "host": "localhost"}

    def post(path, bodies):
        options = {"content_type": "application/json", "headers": headers}
        return [("post", f"{API}/agents/me/{path}", {**options, "data": body}) for body in bodies]

    return {
        "the profile": get("/agents/me", headers),
        "the manifest": get("/agents/me/manifest", headers),
        "own skills": get("/agents/me/skills", headers),
        "own personas": get("/agents/me/personas", headers),
        "a skill install": post("skills/install", [{"slug": slug} for slug in skills]),
        "a persona install": post("personas/install", [{"slug": slug} for slug in personas]),
        "a review": post("reviews", [{"personaSlug": slug, "rating": 4} for slug in personas]),
        "reviews of a persona": get(f"/personas/{personas[0]}/reviews"),
        "own reviews": get("/agents/me/reviews", headers),
        "a skill update": post("skills/update", [{"slug": slug} for slug in skills]),
        "a switch of persona": post("personas/activate", [{"slug": slug} for slug in personas]),
        "a skill uninstall": post("skills/uninstall", [{"slug": slug} for slug in skills]),
    }
