"""What staff see of operators in the admin (contract 19.16)"""

from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from agents.models import OperatorKey
from agents.tokens import mint_key
from operators.models import OperatorSession
from tests.admin.operators import ENDED, OPERATORS, REVOKE, USABLE, key_of, listed, text_of
from tests.admin.rows import change_page
from tests.factories import AgentFactory, ask_for_code, claim


def test_the_list_shows_who_has_how_many_agents_and_sessions(admin_client):
    key = claim(AgentFactory())
    claim(AgentFactory(), key=key, name="Countess")
    claim(AgentFactory(), name="Grace Hopper")
    ada, grace = OperatorKey.objects.order_by("pk")
    grace.revoke("Reported as leaked")
    seen = timezone.now().replace(hour=12, minute=34)
    OperatorKey.objects.filter(pk=ada.pk).update(last_used_at=seen)
    OperatorSession.objects.begin(ada)
    OperatorSession.objects.begin(grace)  # not open: its key has ended

    assert listed(admin_client) == {
        grace.hint: ["Grace Hopper", "1", "0", ENDED],
        ada.hint: ["Ada Lovelace, Countess", "2", "1", USABLE],
    }
    text = admin_client.get(OPERATORS).content.decode()
    assert "Reported as leaked" in text
    assert f"{seen:%-d %b %Y}, 12:34" in text


def test_the_list_shows_a_few_of_many_names(admin_client, agent):
    key = claim(agent)
    for name in ("Ada", "Bob", "Charles", "Dora"):
        claim(AgentFactory(), key=key, name=name)

    ((names, agents, *_),) = listed(admin_client).values()

    assert (names, agents) == ("Ada, Ada Lovelace, Bob and 2 others", "5")


def test_an_operator_of_very_many_agents_is_not_counted_to_the_end(
    admin_client, agent, monkeypatch
):
    monkeypatch.setattr("operators.admin.MAX_COUNTED", 2)
    key = claim(agent)
    for _ in range(2):
        claim(AgentFactory(), key=key)

    ((_, agents, *_),) = listed(admin_client).values()

    assert agents == "more than 2"


def test_a_key_that_no_agent_has_confirmed_is_not_shown(admin_client, agent):
    text = mint_key()
    ask_for_code(agent, key=text)
    key = OperatorKey.objects.get()

    assert listed(admin_client) == {}
    assert admin_client.get(change_page(key)).status_code == 302
    response = admin_client.post(f"{OPERATORS}find/", {"q": text}, follow=True)
    assert "No operator has this key." in response.content.decode()


def test_an_agent_that_is_claimed_anew_counts_for_its_new_operator(admin_client, agent):
    claim(agent)
    claim(agent, name="Grace Hopper")

    grace, ada = listed(admin_client).values()

    assert (grace[:2], grace[-1]) == (["Grace Hopper", "1"], USABLE)
    assert (ada[:2], ada[-1]) == (["nobody", "0"], ENDED)


@pytest.mark.parametrize(
    "term",
    [
        *("mkt_operator_", "caller", "CALL", "ada@example.com", "Ada@Example.com "),
        *("Ada Lovelace", "love", "lovelace ada"),
    ],
)
def test_an_operator_is_found(admin_client, agent, term):
    claim(agent)

    assert list(listed(admin_client, q=term)) == [key_of(agent).hint]


@pytest.mark.parametrize(
    "term", ["operator_", "aller", "ada@example.co", "@", "example", "Ada Hopper"]
)
def test_an_operator_is_not_found_by_the_middle_of_a_word_or_a_part_of_an_address(
    admin_client, agent, term
):
    claim(agent)

    assert listed(admin_client, q=term) == {}


def test_the_start_of_a_key_finds_no_other(admin_client, agent):
    text = claim(agent)
    claim(AgentFactory())

    assert list(listed(admin_client, q=text[:17])) == [key_of(agent).hint]


@pytest.mark.parametrize(
    ("ended", "names"),
    [("yes", ["leaked", "left"]), ("no", ["usable"]), ("leaked", ["leaked"])],
)
def test_the_list_is_filtered_by_how_a_key_ended(admin_client, anyone, ended, names):
    agents = {name: AgentFactory(handle=name) for name in ("leaked", "left", "usable")}
    texts = {name: claim(agent) for name, agent in agents.items()}
    hints = {key_of(agent).hint: name for name, agent in agents.items()}
    assert anyone.post(REVOKE, {"token": texts["leaked"]}).status_code == 200
    agents["left"].claim.release()

    rows = listed(admin_client, revoked_at=ended)

    assert sorted(hints[hint] for hint in rows) == names


def test_a_page_shows_the_agents_the_names_and_the_sessions(admin_client, agent):
    key = claim(agent)
    other = AgentFactory(handle="other")
    claim(other, key=key, name="Countess", email="`id`|x@example.com")
    OperatorSession.objects.begin(key_of(agent))
    other.pause()

    page = admin_client.get(change_page(key_of(agent)))

    agents, names, sessions, data = page.context["panels"]
    assert [(str(name), note.partition(",")[0], url) for name, note, url in agents["rows"]] == [
        ("other", "paused", change_page(other)),
        ("caller", "active", change_page(agent)),
    ]
    assert names["rows"] == [
        ("Ada Lovelace (not verified)", "ada@example.com (not verified)", ""),
        ("Countess (not verified)", "`id`|x@example.com (not verified)", ""),
    ]
    assert len(sessions["rows"]) == 1
    assert [text for text, _, _ in data["rows"]] == [
        f"python manage.py {command} {address}"
        for address in ("'`id`|x@example.com'", "ada@example.com")
        for command in ("export_person", "erase_person")
    ]
    everyone = admin_client.get(unescape(agents["all"]))
    assert [row.agent for row in everyone.context["cl"].result_list] == [other, agent]


def test_the_link_to_all_agents_shows_those_of_no_other_operator(admin_client, agent):
    claim(agent)
    claim(AgentFactory())

    page = admin_client.get(change_page(key_of(agent)))

    everyone = admin_client.get(page.context["panels"][0]["all"])
    assert [row.agent for row in everyone.context["cl"].result_list] == [agent]


def test_the_page_of_an_agent_leads_to_its_operator(admin_client, agent):
    claim(agent)

    assert f'href="{change_page(key_of(agent))}"' in text_of(admin_client, agent)


@pytest.mark.parametrize("of", ["agent", "agenttoken", "operatorclaim", "operatorkey"])
@pytest.mark.parametrize("spelling", ["{}", "  {}\n"])
def test_a_pasted_key_finds_its_operator_and_stands_in_no_address(
    admin_client, agent, of, spelling
):
    text = claim(agent)

    response = admin_client.post(f"/admin/agents/{of}/find/", {"q": spelling.format(text)})

    assert response.status_code == 302
    assert response.headers["Location"] == change_page(key_of(agent))


@pytest.mark.parametrize("of", ["agent", "agenttoken", "operatorclaim", "operatorkey"])
@pytest.mark.parametrize("spelling", ["{}x", "my key is {}", "{}\x00"])
def test_text_around_a_key_is_kept_out_of_addresses(admin_client, agent, of, spelling):
    text = spelling.format(claim(agent))

    response = admin_client.post(f"/admin/agents/{of}/find/", {"q": text})

    assert response.headers["Location"] == f"/admin/agents/{of}/"
    assert text[:30] not in response.content.decode()


@pytest.mark.parametrize("of", ["agent", "agenttoken", "operatorclaim", "operatorkey"])
def test_a_key_in_an_address_finds_nothing(admin_client, agent, of):
    response = admin_client.get(f"/admin/agents/{of}/", {"q": claim(agent)})

    assert not response.context["cl"].result_list
    assert "not into a URL" in response.content.decode()


def test_a_key_is_found_only_by_those_who_may_see_operators(agent):
    user = User.objects.create_user("clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_agent"))
    (clerk := Client()).force_login(user)

    response = clerk.post("/admin/agents/agent/find/", {"q": claim(agent)}, follow=True)

    assert "No operator has this key." in response.content.decode()


def test_the_menu_and_the_list_call_them_operators(admin_client):
    page = admin_client.get("/admin/")

    groups = {group.get("title"): group["items"] for group in page.context["sidebar_navigation"]}
    assert [item["title"] for item in groups["Agents"]] == [
        "Agents",
        "Agent tokens",
        "Operators",
        "Operator claims",
        "Invitations",
        "Publishers",
    ]


def test_the_dashboard_counts_the_keys_that_leaked_this_week(admin_client, anyone):
    for _ in range(3):
        assert anyone.post(REVOKE, {"token": claim(AgentFactory())}).status_code == 200
    ask_for_code(AgentFactory(), key=(unconfirmed := mint_key()))
    anyone.post(REVOKE, {"token": unconfirmed})
    old = OperatorKey.objects.confirmed().first()
    OperatorKey.objects.filter(pk=old.pk).update(revoked_at=timezone.now() - timedelta(days=8))

    (item,) = [
        item
        for item in admin_client.get("/admin/").context["attention"]
        if "operator keys" in item["text"]
    ]

    assert item["text"] == "operator keys reported as leaked this week"
    assert str(item["number"]) == "2"
    assert item["url"] == f"{OPERATORS}?revoked_at=leaked"
