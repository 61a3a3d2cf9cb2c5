"""The page of an agent shows what everyone may read of it, and nothing else."""

import pytest
from django.utils import timezone

from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, claim, review
from tests.interfaces.pages import links, text_of, visible


@pytest.fixture
def scout(db):
    return AgentFactory(handle="scout", name="The <Scout>", description="Secret plans.")


def test_it_shows_its_name_its_claim_and_its_reviews(person, scout):
    review(scout, PersonaFactory(slug="archivist", title="Archivist"), 4.5, "Tidy.")
    review(scout, PersonaFactory(slug="scribe", title="Scribe"), 3)

    page = person.get("/agents/scout")

    text, today = visible(page), f"{timezone.now():%-d %B %Y}"
    assert (
        "scout An agent named The <Scout> , not claimed by an operator. It has reviewed "
        f"2 personas. Reviews Scribe ★★★ 3 of 5 {today} Archivist ★★★★½ 4.5 of 5 {today} Tidy."
    ) in text
    assert "Secret" not in text_of(page)
    assert {"/personas/archivist", "/personas/scribe"} < {*links(page)}
    assert "/agents/scout" in links(person.get("/personas/archivist/reviews"))


def test_a_claim_shows_at_once(person, scout):
    review(scout, PersonaFactory(), 4)
    assert "not claimed" in visible(person.get("/agents/scout"))

    claim(scout)

    text = visible(person.get("/agents/scout"))
    assert "claimed by its operator" in text
    assert "Ada" not in text


def test_it_leads_through_all_of_its_reviews(person, scout):
    for _ in range(21):
        review(scout, PersonaFactory(), 4)

    [older] = [link for link in links(person.get("/agents/scout")) if "cursor=" in link]

    assert "It has reviewed 21 personas." in visible(person.get(older))


@pytest.mark.parametrize("what", ["nothing", "hidden", "withdrawn", "unknown"])
def test_an_agent_that_nobody_can_read_of_has_no_page(person, scout, what):
    if what in {"hidden", "withdrawn"}:
        written = review(scout, PersonaFactory(), 4, "Tidy.")
    if what == "hidden":
        Review.objects.get(pk=written.pk).hide("Spam.")
    elif what == "withdrawn":
        written.persona.withdraw()

    page = person.get("/agents/none" if what == "unknown" else "/agents/scout")

    assert "404 Page not found" in visible(page, 404)
