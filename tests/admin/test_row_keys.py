"""Lists that staff work through: stars to read, and one key for each action"""

import re

import pytest
from django.contrib.auth.models import Group

from reviews.models import Review
from tests.factories import AgentFactory, PersonaFactory, review

QUEUE = "/admin/reviews/review/"


def keys_of(admin_client, url=QUEUE):
    page = admin_client.get(url).content.decode()
    return dict(re.findall(r'<kbd data-action="(\w+)">(\w)</kbd>', page))


@pytest.mark.parametrize(
    ("rating", "markup"),
    [
        (4, 'aria-label="4 of 5 stars">★★★★☆</span>'),
        (1, 'aria-label="1 of 5 stars">★☆☆☆☆</span>'),
        (3.5, 'aria-label="3.5 of 5 stars">★★★★☆</span> 3.5'),
        (2.25, 'aria-label="2.25 of 5 stars">★★☆☆☆</span> 2.25'),
    ],
)
def test_a_rating_is_shown_as_stars_with_a_text(admin_client, agent, rating, markup):
    written = review(agent, PersonaFactory(), rating)

    assert markup in admin_client.get(QUEUE).content.decode()
    assert markup in admin_client.get(f"{QUEUE}{written.pk}/change/").content.decode()


def test_a_list_names_its_keys(admin_client, agent):
    assert keys_of(admin_client) == {}  # no row, no key
    review(agent, PersonaFactory(), 4)

    page = admin_client.get(QUEUE).content.decode()

    assert keys_of(admin_client) == {"hide": "h", "restore": "r"}
    assert '<dialog id="row-keys-help"' in page


def test_a_key_is_offered_to_who_may_run_its_action(admin_client_of, agent):
    review(agent, PersonaFactory(), 4)
    moderator = admin_client_of("Moderators")
    assert keys_of(moderator) == {"hide": "h", "restore": "r"}
    role = Group.objects.get(name="Moderators")
    role.permissions.remove(*role.permissions.filter(codename="change_review"))

    assert keys_of(moderator) == {}


def test_what_a_key_sends_is_asked_first_and_returns_to_the_list(admin_client):
    written = review(AgentFactory(), PersonaFactory(), 1)
    url = f"{QUEUE}?hidden=no"
    sent = {"action": "hide", "index": "0", "_selected_action": written.pk}

    confirmation = admin_client.post(url, sent)
    assert "A hidden review counts in no average" in confirmation.content.decode()
    assert "autofocus" in confirmation.content.decode()
    assert Review.objects.visible().exists()

    done = admin_client.post(url, sent | {"confirmed": "yes", "reason": "Rude."})
    assert (done.status_code, done.headers["Location"]) == (302, url)
    assert not Review.objects.visible().exists()
