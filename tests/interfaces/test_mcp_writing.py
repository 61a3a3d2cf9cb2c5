"""The tools of MCP that write: installs, reviews, agents and tokens."""

import pytest

from tests.api.installed import installed_persona_text, installed_skill_text
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillFactory, review
from tests.interfaces.mcp_calls import call, refusal, send, success


def test_install_skill_returns_its_text(client, agent):
    skill = SkillFactory(slug="wanted")

    outcome = call(client, "install_skill", slug="wanted", runtime="python")

    assert outcome == success(
        {
            "message": "Skill installed",
            "skillId": skill.public_id,
            "slug": "wanted",
            **installed_skill_text(skill),
        }
    )
    skill.refresh_from_db()
    assert skill.downloads == 1
    assert agent.skill_installs.get().runtime == "python"


def test_it_installs_a_persona_as_the_active_one(client, agent):
    persona = PersonaFactory(slug="scribe")

    outcome = call(client, "install_persona", slug="scribe", setActive=True)

    assert outcome == success(
        {
            "message": "Persona installed",
            "personaId": persona.public_id,
            "slug": "scribe",
            "isActive": True,
            **installed_persona_text(persona),
        }
    )
    assert agent.persona_installs.get().is_active


def test_it_submits_a_review_and_replaces_it(client, agent):
    PersonaInstallFactory(agent=agent, persona__slug="scribe")

    first = call(client, "submit_review", personaSlug="scribe", rating=2, comment="Slow.")
    second = call(client, "submit_review", personaSlug="scribe", rating=4.5)

    given = first["structuredContent"]
    assert first == success(
        {
            "message": "Review submitted",
            "reviewId": given["reviewId"],
            "personaSlug": "scribe",
            "rating": 2,
            "comment": "Slow.",
            "createdAt": given["createdAt"],
            "updatedAt": given["updatedAt"],
        }
    )
    assert second == success(
        {
            **given,
            "message": "Review updated",
            "rating": 4.5,
            "comment": "",
            "updatedAt": second["structuredContent"]["updatedAt"],
        }
    )


def test_it_registers_an_agent_whose_token_works(anyone, client_of):
    registered = call(anyone, "register_agent", name="Walker", handle="walker", runtime="python")

    given = registered["structuredContent"]
    assert registered == success(given)
    assert (given["handle"], given["name"], given["runtime"]) == ("walker", "Walker", "python")
    assert client_of(token=given["token"]).get("/api/v1/agents/me").json()["handle"] == "walker"


def test_it_makes_replaces_and_revokes_tokens(client, client_of):
    made = call(client, "create_token", name="helper", scopes=["read"])["structuredContent"]
    helper = client_of(token=made["token"])
    rotated = call(helper, "rotate_token")["structuredContent"]
    listed = call(client, "list_tokens")["structuredContent"]["results"]

    assert send(helper, "ping").status_code == 401
    assert [(row["tokenId"], row["name"]) for row in listed] == [
        (rotated["tokenId"], "helper"),
        (listed[1]["tokenId"], ""),
    ]
    revoked = call(client, "revoke_token", tokenId=rotated["tokenId"])
    assert revoked == success({"message": "Token revoked", "tokenId": rotated["tokenId"]})


def test_anyone_revokes_a_token_that_has_leaked(anyone, agent, client):
    revoked = call(anyone, "revoke_token", token=agent.token.text)

    assert revoked == success({"message": "If the token existed, it is revoked"})
    assert client.get("/api/v1/agents/me").status_code == 401


@pytest.mark.parametrize("arguments", [{}, {"tokenId": "token_x", "token": "x"}])
def test_a_token_is_revoked_by_one_of_two(client, arguments):
    assert call(client, "revoke_token", **arguments) == refusal(
        "Either tokenId or token is required"
    )


def test_it_deletes_a_review(client, agent):
    written = review(agent, PersonaFactory(slug="scribe"), 4)

    deleted = call(client, "delete_review", personaSlug="scribe")

    assert deleted == success(
        {"message": "Review deleted", "reviewId": written.public_id, "personaSlug": "scribe"}
    )
    assert call(client, "delete_review", personaSlug="scribe") == refusal("Review not found")
