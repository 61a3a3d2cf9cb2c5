"""The pages of the admin for keyboards and screen readers"""

import re

from tests.factories import AgentFactory


def test_a_page_has_a_main_element_a_link_to_it_and_help_that_is_tied_to_its_fields(admin_client):
    agent = AgentFactory()
    refused = {"policy": "install", "limit": "1", "confirmed": "yes"}
    pages = [
        admin_client.get("/admin/catalogue/skill/add/"),
        admin_client.post("/admin/catalogue/skill/add/", {}),
        admin_client.get(f"/admin/agents/agent/{agent.pk}/change/"),
        admin_client.post(f"/admin/agents/agent/{agent.pk}/do/raise_limit/", refused),
    ]

    for page in pages:
        text = page.content.decode()
        body = text[text.index("<body") :]
        first = re.search(r"<a [^>]*>(.*?)</a>", body)
        assert first[0] == '<a class="staff-skip" href="#content">Skip to the content</a>'
        assert len(re.findall("<main ", body)) == 1
        main = body[body.index("<main ") : body.index("</main>")]
        assert "<h1" in main
        assert 'id="content" tabindex="-1"' in main
        described = " ".join(re.findall('aria-describedby="(.*?)"', text)).split()
        assert [name for name in described if f'id="{name}"' not in text] == []
        assert described
    assert any("_error" in name for name in described)
    # Keys scroll what is longer than its box.
    preview = re.search('<div id="markdown-preview"[^>]*>', pages[0].content.decode())[0]
    assert 'tabindex="0"' in preview


def test_the_log_in_page_has_a_main_element(client):
    assert len(re.findall("<main ", client.get("/admin/login/").content.decode())) == 1
