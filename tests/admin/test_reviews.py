"""Staff hide and restore reviews: averages, the public API, and what the agent still sees"""

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import call_command

from catalogue.models import Persona
from reviews.models import Review
from tests.admin.actions import take_action, told
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory, review

REVIEWS = "/api/v1/agents/me/reviews"
ARCHIVIST = "/api/v1/personas/archivist"
QUEUE = "/admin/reviews/review/"


@pytest.fixture
def persona(db):
    return PersonaFactory(slug="archivist")


@pytest.fixture
def unkind(agent, persona):
    """The caller's review of one star, beside one of five."""
    review(AgentFactory(), persona, 5)
    return review(agent, persona, 1, "Buy at my shop.")


def ratings(anyone):
    return anyone.get(ARCHIVIST).json()["ratings"]


def distribution(**counts):
    return dict.fromkeys("12345", 0) | {name.strip("_"): count for name, count in counts.items()}


@pytest.mark.contract("10.9", "18.8")
def test_a_hidden_review_leaves_average_count_and_distribution(admin_client, anyone, unkind):
    assert ratings(anyone)["average"] == 3

    take_action(admin_client, "hide", unkind, reason="Advertising.")

    assert ratings(anyone) == {"average": 5, "count": 1, "distribution": distribution(_5=1)}
    (listed,) = anyone.get("/api/v1/personas?minRating=4").json()["results"]
    assert (listed["ratingAvg"], listed["ratingCount"]) == (5, 1)


def test_its_reason_is_stored_for_staff(admin_client, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")

    unkind.refresh_from_db()
    assert unkind.hiding_reason == "Advertising."
    assert unkind.history.first().history_user.username == "clerk-0"
    assert (
        "Advertising."
        in admin_client.get(f"/admin/reviews/review/{unkind.pk}/change/").content.decode()
    )


@pytest.mark.parametrize(
    ("rating", "markup"),
    [
        (4, 'aria-label="4 of 5 stars">★★★★☆</span>'),
        (1, 'aria-label="1 of 5 stars">★☆☆☆☆</span>'),
        (3.5, 'aria-label="3.5 of 5 stars">★★★★☆</span> 3.5'),
        (2.25, 'aria-label="2.25 of 5 stars">★★☆☆☆</span> 2.25'),
    ],
)
def test_a_rating_is_shown_as_stars_with_a_text(admin_client, agent, persona, rating, markup):
    written = review(agent, persona, rating)

    assert markup in admin_client.get(QUEUE).content.decode()
    assert markup in admin_client.get(f"{QUEUE}{written.pk}/change/").content.decode()


def test_an_action_of_the_list_is_confirmed_first_and_returns_to_it(admin_client, unkind):
    url = f"{QUEUE}?hidden=no"
    sent = {"action": "hide", "index": "0", "_selected_action": unkind.pk}

    confirmation = admin_client.post(url, sent)
    assert "A hidden review counts in no average" in confirmation.content.decode()
    assert "autofocus" in confirmation.content.decode()
    assert Review.objects.visible().count() == 2

    done = admin_client.post(url, sent | {"confirmed": "yes", "reason": "Rude."})
    assert (done.status_code, done.headers["Location"]) == (302, url)
    assert Review.objects.visible().count() == 1


@pytest.mark.contract("18.8")
def test_hiding_needs_a_reason(admin_client, unkind):
    response = take_action(admin_client, "hide", unkind, reason="")

    assert "This field is required." in response.content.decode()
    unkind.refresh_from_db()
    assert unkind.hidden_at is None


@pytest.mark.contract("18.8")
def test_a_restored_review_counts_again(admin_client, anyone, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")
    take_action(admin_client, "restore", unkind)

    assert ratings(anyone) == {"average": 3, "count": 2, "distribution": distribution(_1=1, _5=1)}
    unkind.refresh_from_db()
    assert (unkind.hidden_at, unkind.hiding_reason) == (None, "")


def test_the_only_review_hidden_leaves_no_average(admin_client, anyone, agent, persona):
    take_action(admin_client, "hide", review(agent, persona, 2), reason="Wrong persona.")

    assert ratings(anyone) == {"average": None, "count": 0, "distribution": distribution()}


def test_hiding_and_restoring_twice_counts_once(admin_client, anyone, unkind):
    for _ in range(2):
        page = take_action(admin_client, "hide", unkind, reason="Advertising.")
    assert told(page) == ["Nothing to hide: none of these is shown."]
    assert (ratings(anyone)["average"], ratings(anyone)["count"]) == (5, 1)

    for _ in range(2):
        page = take_action(admin_client, "restore", unkind)
    assert told(page) == ["Nothing to restore: none of these is hidden."]
    assert (ratings(anyone)["average"], ratings(anyone)["count"]) == (3, 2)
    reasons = [snapshot.history_change_reason for snapshot in unkind.history.all()]
    assert reasons[:2] == ["Restored.", "Hidden: Advertising."]
    assert LogEntry.objects.count() == 2


def test_its_agent_can_update_it_and_it_stays_hidden(admin_client, client, anyone, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")

    response = client.post(REVIEWS, {"personaSlug": "archivist", "rating": 4, "comment": "Better."})

    assert response.status_code == 200
    body = response.json()
    assert body == {
        "message": "Review updated",
        "reviewId": unkind.public_id,
        "personaSlug": "archivist",
        "rating": 4,
        "comment": "Better.",
        "createdAt": body["createdAt"],
        "updatedAt": body["updatedAt"],
    }
    assert ratings(anyone) == {"average": 5, "count": 1, "distribution": distribution(_5=1)}


def test_restored_it_counts_as_its_agent_left_it(admin_client, client, anyone, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")
    client.post(REVIEWS, {"personaSlug": "archivist", "rating": 4})
    take_action(admin_client, "restore", unkind)

    assert ratings(anyone) == {
        "average": 4.5,
        "count": 2,
        "distribution": distribution(_4=1, _5=1),
    }


def test_its_agents_profile_still_counts_it(admin_client, client, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")

    assert client.get("/api/v1/agents/me").json()["counts"]["reviews"] == 1


def test_many_are_hidden_by_one_action(admin_client, anyone, persona):
    poor = [review(AgentFactory(), persona, 1) for _ in range(5)]
    review(AgentFactory(), persona, 4)

    response = take_action(admin_client, "hide", *poor, reason="One author.")

    assert told(response)[0].startswith(f"Hidden: archivist by {poor[0].agent}, archivist by ")
    assert (ratings(anyone)["average"], ratings(anyone)["count"]) == (4, 1)


def test_recount_knows_hidden_reviews(admin_client, capsys, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")
    Persona.objects.update(installs=2)
    call_command("recount")
    assert "Every counter is correct." in capsys.readouterr().out

    Persona.objects.update(rating_sum=99, rating_count=9)
    call_command("recount", fix=True)

    persona = Persona.objects.get()
    assert (persona.rating_sum, persona.rating_count) == (5, 1)


def test_one_that_was_changed_since_is_shown_on_the_dashboard(admin_client, client, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")
    assert "changed since" not in admin_client.get("/admin/").content.decode()

    client.post(REVIEWS, {"personaSlug": "archivist", "rating": 1, "comment": "Again."})

    assert "Hidden reviews that changed since" in admin_client.get("/admin/").content.decode()
    page = admin_client.get("/admin/reviews/review/?hidden=changed")
    assert list(page.context["cl"].result_list) == [unkind]


def test_reviews_are_filtered_by_rating_persona_and_state(admin_client, agent, persona, subtests):
    review(agent, PersonaFactory(slug="deleted"), 2)
    Review.objects.delete_own(agent, "deleted")
    for rating in (1, 3.5):
        review(AgentFactory(), persona, rating)
    review(AgentFactory(), PersonaFactory(slug="scribe"), 5).hide("Paid.")

    for query, expected in {
        "rating=1": {1},
        "rating=4": {3.5},
        "rating=5": {5},
        "persona=archivist": {1, 3.5},
        "persona=arch": set(),
        "hidden=yes": {5},
        "hidden=no": {1, 3.5},
        "hidden=deleted": {2},
        "q=scribe": {5},
    }.items():
        with subtests.test(query):
            page = admin_client.get(f"/admin/reviews/review/?{query}")

            assert {float(row.rating) for row in page.context["cl"].result_list} == expected


def test_a_hidden_review_counts_its_persona_install(admin_client, client, agent, unkind):
    """Hiding touches nothing but the averages: the persona stays installed and reviewable."""
    take_action(admin_client, "hide", unkind, reason="Advertising.")

    assert client.get("/api/v1/agents/me").json()["counts"]["personas"] == 1
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="scribe"))
    response = client.post(REVIEWS, {"personaSlug": "scribe", "rating": 3})
    assert response.status_code == 201
    assert Review.objects.filter(hidden_at=None).count() == 2


@pytest.fixture
def deleted(agent, unkind):
    """The row that stays of a review that its agent has deleted."""
    Review.objects.delete_own(agent, "archivist")
    return unkind


def test_a_deleted_review_is_shown_as_such_and_cannot_be_hidden(admin_client, deleted):
    url = f"/admin/reviews/review/{deleted.pk}/"

    page = admin_client.get(f"{url}change/").content.decode()

    assert 'state-deleted">deleted<' in page
    assert "/do/" not in page
    assert 'state-deleted">deleted<' in admin_client.get("/admin/reviews/review/").content.decode()
    for other in (f"catalogue/persona/{deleted.persona_id}", f"agents/agent/{deleted.agent_id}"):
        assert "1.00, deleted" in admin_client.get(f"/admin/{other}/change/").content.decode()


def test_a_deleted_review_that_was_hidden_can_be_restored(admin_client, agent, anyone, unkind):
    take_action(admin_client, "hide", unkind, reason="Advertising.")
    Review.objects.delete_own(agent, "archivist")
    page = admin_client.get(f"/admin/reviews/review/{unkind.pk}/change/").content.decode()
    assert "/do/restore/" in page
    assert "/do/hide/" not in page

    take_action(admin_client, "restore", unkind)

    assert ratings(anyone) == {"average": 5, "count": 1, "distribution": distribution(_5=1)}
    unkind.refresh_from_db()
    assert (unkind.hidden_at, unkind.state) == (None, "deleted")


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_deleted_review_needs_no_attention(admin_client, client, unkind, is_hidden):
    if is_hidden:
        take_action(admin_client, "hide", unkind, reason="Advertising.")
    client.post(REVIEWS, {"personaSlug": "archivist", "rating": 1})
    reason = "changed since" if is_hidden else "One-star reviews this week"
    assert reason in admin_client.get("/admin/").content.decode()

    client.delete(f"{REVIEWS}/archivist")

    assert reason not in admin_client.get("/admin/").content.decode()


def test_recount_knows_deleted_reviews(capsys, deleted):
    Persona.objects.update(installs=2)

    call_command("recount")

    assert "Every counter is correct." in capsys.readouterr().out
