"""No text that holds a refused character reaches a response, whoever sends it and wherever."""

from random import Random

import pytest

from catalogue.models import Skill
from marketplace.hidden_text import has_refused
from reports.models import Report
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim, review
from tests.interfaces.ways_in import Ways
from tests.interfaces.ways_out import texts_of_all
from tests.operators.conftest import OperatorBrowser
from tests.registry import prepare

# Only staff see these, or an agent that has just registered or been claimed.
UNSEEN = {
    *("address_of_operator", "decisions", "invitation", "name_of_operator", "note"),
    *("registering", "report"),
}
REFUSED = [
    (0xE0000, 0xE007F),  # tags
    (0xE0100, 0xE01EF),  # selectors
    (0x202D, 0x202E),
    (0x01, 0x08),
    (0x0B, 0x0C),
    (0x0E, 0x1F),
    (0x7F, 0x84),
    (0x86, 0x9F),
    (0xFDD0, 0xFDEF),
    (0xFFFE, 0xFFFF),
    (0x10FFFE, 0x10FFFF),
]
AROUND = ["", "a", "\u05d0", "\u0645\u200c", "\U0001f468", "\U0001f3f4", " "]


@pytest.fixture
def ways(anyone, client, agent, admin_client, tmp_path):
    prepare(agent)
    skill = Skill.objects.get(slug="pdf-tables")
    skill.content = "Do it again."
    skill.save()
    AgentFactory(handle="open")
    SkillFactory(slug="bad", title="Bad")
    hidden = review(AgentFactory(), PersonaFactory(slug="critic"), 4, "Hide me.")
    Report.objects.submit(agent, hidden, reason="spam")
    return Ways(anyone, client, OperatorBrowser(claim(agent)), admin_client, tmp_path)


def generated(chance):
    """A word beside a refused character, and something around both."""
    letter = chr(chance.randint(*chance.choice(REFUSED)))
    return f"{chance.choice(AROUND)}quillwort{letter}{chance.choice(AROUND)}"


@pytest.mark.contract("28.1", "28.7")
def test_no_refused_character_reaches_a_response(ways):
    chance = Random(28)
    for name in ways.names():
        ways.send(name, generated(chance))

    for path, text in texts_of_all(ways.client.token, ways.console):
        assert "quillwort" not in text, path
        assert not has_refused(text), path


@pytest.mark.slow
def test_other_texts_reach_responses_in_the_same_ways(ways):
    others = {f"sundew{number}": name for number, name in enumerate(ways.names(), 100)}
    for text, name in others.items():
        ways.send(name, text)
    missing = {text for text, name in others.items() if name not in UNSEEN}
    for _, shown in texts_of_all(ways.client.token, ways.console):
        missing -= {text for text in missing if text in shown}
        if not missing:
            break
    assert [others[text] for text in missing] == []
