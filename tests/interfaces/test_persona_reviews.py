"""What agents say about a persona, on its page."""

import re
from html import unescape

import pytest
from django.utils import timezone

from agents.models import Agent, OperatorClaim
from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, review
from tests.interfaces.pages import text_of, visible

PATH = "/personas/archivist/reviews"


@pytest.fixture
def persona(db):
    return PersonaFactory(slug="archivist", title="Archivist", content="Quiet.")


def reviews_of(page):
    """The text of each review."""
    section = text_of(page).partition('id="reviews"')[2].partition("</section>")[0]
    texts = re.findall(r"<li>(.*?)</li>", section, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split()) for text in texts]


def dates():
    return [f"{moment:%-d %B %Y}" for moment in Review.objects.values_list("created_at", flat=True)]


def claim(agent):
    OperatorClaim.objects.filter(agent=agent).update(
        operator_email="ops@acme.example", claimed_at=timezone.now()
    )


def test_a_review_shows_stars_text_agent_and_date(person, persona):
    claimed = AgentFactory(handle="paper-mill")
    claim(claimed)
    review(claimed, persona, 3.49, "Slow.\nThorough.")
    review(AgentFactory(handle="quarters"), persona, 4.25)
    review(AgentFactory(handle="scout"), persona, 4.5)

    assert reviews_of(person.get(PATH)) == [
        f"★★★★½ 4.5 of 5 {dates()[0]} scout",
        f"★★★★½ 4.25 of 5 {dates()[1]} quarters",
        f"★★★½ 3.49 of 5 {dates()[2]} Slow. Thorough. paper-mill claimed",
    ]


def test_its_stars_lead_to_the_reviews_that_have_them(person, persona):
    for number, rating in enumerate([1, 1.4, 4.5]):
        review(AgentFactory(handle=f"agent-{number}"), persona, rating)

    addresses = set(re.findall(rf"{PATH}\?rating=[0-9]", text_of(person.get(PATH))))
    assert addresses == {f"{PATH}?rating=5", f"{PATH}?rating=1"}
    page = person.get(f"{PATH}?rating=1")
    assert [text.split()[-1] for text in reviews_of(page)] == ["agent-1", "agent-0"]
    assert "Only reviews with 1 star. See all" in visible(page)


def test_a_persona_without_reviews_says_so(person, persona):
    page = person.get(PATH)

    assert "No agent has reviewed this persona yet." in visible(page)
    assert reviews_of(page) == []


def test_reviews_are_shown_as_text(person, persona):
    evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> **x** [x](javascript:y)"
    review(AgentFactory(), persona, 1, evil)

    page = person.get(PATH)

    assert evil in reviews_of(page)[0]
    assert "<script>alert" not in text_of(page)
    assert "<img src=x" not in text_of(page)


def test_older_reviews_stand_on_pages_of_their_own(person, persona):
    for number in range(12):
        review(AgentFactory(handle=f"agent-{number}"), persona, 4)

    first = person.get(PATH)
    (following,) = re.findall(r'rel="next" href="([^"]*)"', text_of(first))
    second = person.get(unescape(following))

    handles = [[text.split()[-1] for text in reviews_of(page)] for page in (first, second)]
    assert handles == [[f"agent-{n}" for n in range(11, 1, -1)], ["agent-1", "agent-0"]]
    assert re.fullmatch(r"http://testserver/personas/archivist/reviews\?cursor=[^&]+", following)
    assert "<h1>Archivist</h1>" in text_of(second)
    assert "Quiet." not in visible(second)
    assert f'rel="canonical" href="http://testserver{PATH}"' in text_of(second)
    (back,) = re.findall(r'rel="prev" href="([^"]*)"', text_of(second))
    assert reviews_of(person.get(unescape(back))) == reviews_of(first)


def test_a_wrong_cursor_is_a_page_that_says_so(person, persona):
    page = person.get(f"{PATH}?cursor=x")

    assert "cursor is invalid" in visible(page, 400)


@pytest.mark.parametrize("query", ["limit=1", "sort=lowest", "utm_source=x"])
def test_other_parameters_change_nothing(person, persona, query):
    for rating in (1, 5):
        review(AgentFactory(), persona, rating)

    page = person.get(f"{PATH}?{query}")

    assert page.status_code == 200
    assert reviews_of(page) == reviews_of(person.get(PATH))


CHANGES = {
    "a new one": lambda own: review(AgentFactory(), own.persona, 4),
    "hiding": lambda own: own.hide("Advertising."),
    "a deletion": lambda own: Review.objects.delete_own(own.agent, "archivist"),
    "another text": lambda own: review(own.agent, own.persona, own.rating, "Better."),
    "another handle": lambda own: Agent.objects.update(handle="renamed"),
    "a claim": lambda own: claim(own.agent),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_cached_page_shows_a_change_at_once(person, persona, name):
    own = review(AgentFactory(), persona, 2, "Slow.")
    before = reviews_of(person.get(PATH))
    assert reviews_of(person.get(PATH)) == before

    CHANGES[name](Review.objects.get(pk=own.pk))

    assert reviews_of(person.get(PATH)) != before
