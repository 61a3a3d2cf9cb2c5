"""Pinning, unpinning and updating what an agent has, in the operator's console (contract 19.17)"""

import re
from io import StringIO
from itertools import product

import pytest
from django.core.management import call_command
from django.utils import timezone

from agents.models import Agent
from operators import forms
from tests.api.versioned_kinds import Kind
from tests.operators.pages import told
from tests.operators.test_action_effects import history
from tests.operators.test_console import text_of

HOME = "/operator/agents/caller"
NOTHING = "Nothing has changed."
VERSION_ACTIONS = ["pin", "unpin", "update"]


@pytest.fixture(params=["skill", "persona"])
def kind(request, db):
    """With three versions, of which the second is recalled."""
    kind = Kind(request.param)
    kind.recall(2)
    return kind


@pytest.fixture
def path(kind):
    return lambda action: f"{HOME}/{action}-{kind.name}/{kind.slug}"


def options(page):
    """The versions that the page offers, the selected one with an asterisk."""
    rows = re.findall(r'<option value="(\d*)"( selected)?>(.*?)</option>', page.content.decode())
    return [(f"{value}{'*' * bool(selected)}", text) for value, selected, text in rows]


@pytest.mark.contract("19.17")
def test_the_used_version_is_selected_among_the_readable_ones(console, client, kind, path):
    kind.post(client, "install")
    kind.rewrite(4)

    page = console.get(path("pin"))

    today = f"{timezone.now():%-d %b %Y}"
    assert options(page) == [
        ("4", f"4 (current), {today}, 4.0"),
        ("3*", f"3 (in use), {today}, 3.0"),
        ("1", f"1, {today}, 1.0"),
    ]


def test_the_version_in_use_may_also_be_current(console, client, kind, path):
    kind.post(client, "install")

    assert options(console.get(path("pin")))[0][1].startswith("3 (current, in use), ")


def test_the_used_version_is_offered_however_many_are_newer(
    console, client, kind, path, monkeypatch
):
    monkeypatch.setattr(forms, "MAX_VERSIONS", 1)
    kind.post(client, "install", version=1)

    assert [value for value, _ in options(console.get(path("pin")))] == ["3", "1*"]
    console.submit(path("pin"))
    assert kind.installed() == (kind.digest(1), 1, 1)


@pytest.mark.contract("19.17")
def test_the_version_that_the_agent_uses_is_pinned(console, client, agent, kind, path):
    kind.post(client, "install")
    kind.rewrite(4)

    assert console.submit(path("pin")).status_code == 302

    assert kind.installed() == (kind.digest(3), 3, 3)
    row = kind.own(client)
    assert (row["number"], row["pinned"], row["digest"]) == (3, True, kind.digest(3))
    assert (row["latest"]["number"], row["updateAvailable"]) == (4, True)
    assert told(console.get(HOME)) == [
        f"Pinned version 3 of the {kind.name} {kind.slug} for caller."
    ]
    noted = f"Pinned version 3 of the {kind.name} {kind.slug}."
    assert history(agent)[0] == ("Ada Lovelace", noted)


@pytest.mark.contract("19.17")
def test_another_version_is_pinned_by_its_number(console, client, kind, path):
    kind.post(client, "install")

    console.submit(path("pin"), version="1")

    assert kind.installed() == (kind.digest(1), 1, 1)
    assert kind.own(client)["installedDigest"] == kind.digest(1)
    assert told(console.get(HOME)) == [
        f"Pinned version 1 of the {kind.name} {kind.slug} for caller."
    ]


@pytest.mark.contract("19.17")
def test_only_a_version_that_is_offered_is_pinned(console, client, kind, path):
    kind.post(client, "install")

    for version in ("2", "4", "0", "-1", "", "x", "1.0", "٣"):
        page = console.submit(path("pin"), version=version)

        assert page.status_code == 400, version
        assert 'class="error"' in page.content.decode(), version
        assert kind.installed() == (kind.digest(3), 3, None), version


@pytest.mark.contract("19.17")
@pytest.mark.parametrize("cause", ["recalled", "older"])
def test_another_version_is_chosen_if_the_used_one_cannot_be_pinned(
    console, client, kind, path, cause
):
    kind.post(client, "install", version=1)
    kind.post(client, "unpin")
    if cause == "recalled":
        kind.recall(1)
    else:
        kind.Install.objects.update(installed_digest="sha256:older", number=None)

    page = console.get(path("pin"))

    assert options(page)[0] == ("*", "Choose one")
    assert (
        "The text that the agent uses was recalled, or is older than the first version."
        in text_of(page)
    )
    assert console.submit(path("pin"), version="").status_code == 400
    assert console.submit(path("pin"), version="3").status_code == 302
    assert kind.installed() == (kind.digest(3), 3, 3)


@pytest.mark.contract("19.17")
def test_unpinning_in_the_console_goes_back_to_the_newest(console, client, agent, kind, path):
    kind.post(client, "install", version=1)

    console.submit(path("unpin"))

    assert kind.installed() == (kind.digest(1), 1, None)
    row = kind.own(client)
    assert (row["number"], row["pinned"], row["updateAvailable"]) == (3, False, True)
    assert told(console.get(HOME)) == [f"Unpinned the {kind.name} {kind.slug} for caller."]
    assert history(agent)[0] == ("Ada Lovelace", f"Unpinned the {kind.name} {kind.slug}.")


@pytest.mark.contract("19.17")
@pytest.mark.parametrize("is_pinned", [False, True])
def test_an_update_keeps_what_is_pinned_pinned(console, client, agent, kind, path, is_pinned):
    kind.post(client, "install", version=1)
    if not is_pinned:
        kind.post(client, "unpin")

    console.submit(path("update"))

    assert kind.installed() == (kind.digest(3), 3, 3 if is_pinned else None)
    row = kind.own(client)
    assert (row["pinned"], row["updateAvailable"]) == (is_pinned, False)
    assert told(console.get(HOME)) == [
        f"Updated caller to version 3 of the {kind.name} {kind.slug}."
    ]
    noted = f"Updated to version 3 of the {kind.name} {kind.slug}."
    assert history(agent)[0] == ("Ada Lovelace", noted)


def test_an_action_on_versions_without_effect_is_not_noted(
    console, client, agent, kind, path, apart
):
    for action in VERSION_ACTIONS:
        with apart(action):
            kind.post(client, "install", **({"version": 3} if action == "pin" else {}))
            before, noted = kind.installed(), history(agent)

            assert console.submit(path(action)).status_code == 302

            assert told(console.get(HOME)) == [NOTHING]
            assert (kind.installed(), history(agent)) == (before, noted)


@pytest.mark.contract("19.17")
def test_it_is_done_to_an_agent_that_is_stopped(console, client, kind, path, apart):
    kind.post(client, "install", version=1)

    for action, stop in product(VERSION_ACTIONS, ["pause", "suspend"]):
        with apart(f"{action}, {stop}"):
            getattr(Agent.objects.get(), stop)()

            assert console.submit(path(action), **({"version": "3"} if action == "pin" else {}))

            pinned = None if action == "unpin" else 3
            assert kind.installed()[1:] == (1 if action == "unpin" else 3, pinned)


@pytest.mark.contract("19.17")
def test_versions_of_a_withdrawn_or_uninstalled_entry_are_out_of_reach(
    console, client, kind, path, apart
):
    kind.post(client, "install", version=1)
    form = {"csrfmiddlewaretoken": console.get("/operator").context["csrf_token"], "version": "3"}

    for action in VERSION_ACTIONS:
        with apart(f"{action}, withdrawn"):
            kind.model.objects.get(slug=kind.slug).withdraw()

            pages = [console.get(path(action)), console.post(path(action), form)]

            assert [page.status_code for page in pages] == [404, 404]
            assert kind.installed() == (kind.digest(1), 1, 1)
        with apart(f"{action}, uninstalled"):
            kind.post(client, "uninstall")
            assert console.get(path(action)).status_code == 404


@pytest.mark.contract("19.17")
def test_each_install_says_what_the_agent_is_given(console, client, kind):
    kind.post(client, "install", version=1)
    shown = f"{kind.slug} accepted 1, newest 3 (3.0), pinned: what changed"
    assert shown in text_of(console.get(HOME))

    kind.post(client, "unpin")
    page = console.get(HOME)
    assert f"{kind.slug} accepted 1, newest 3 (3.0): what changed" in text_of(page)
    compared = f"/{kind.name}s/{kind.slug}/versions/compare?from=1&amp;to=3"
    assert f'href="{compared}"' in page.content.decode()
    assert console.get(compared.replace("&amp;", "&")).status_code == 200

    kind.Install.objects.update(number=None)
    assert "what changed" not in text_of(console.get(HOME))
    kind.post(client, "update")
    assert "newest" not in text_of(console.get(HOME))


@pytest.mark.contract("19.17")
def test_each_install_leads_to_what_can_be_done(console, client, kind):
    def offered():
        pattern = rf'{HOME}/(?!activate)(\w+)-{kind.name}/{kind.slug}"'
        return re.findall(pattern, console.get(HOME).content.decode())

    kind.post(client, "install")
    assert offered() == ["pin", "remove"]
    kind.post(client, "pin", version=1)
    assert offered() == ["update", "pin", "unpin", "remove"]
    kind.entry.withdraw()
    assert offered() == ["remove"]


def test_a_recalled_version_that_is_pinned_says_so(console, client, kind):
    kind.post(client, "install", version=1)
    kind.recall(1)

    assert f"{kind.slug} accepted 1, newest 3 (3.0), pinned, recalled" in text_of(console.get(HOME))


@pytest.mark.contract("19.17")
def test_an_advisory_names_the_version_that_was_recalled(console, client, kind):
    kind.post(client, "install", version=1)
    kind.recall(1)

    text = text_of(console.get(HOME))
    assert f"staff have recalled version 1 of the {kind.name} {kind.slug} : Unsafe." in text

    kind.post(client, "update")
    kind.entry.recall("It lies.")
    assert f"staff have recalled the {kind.name} {kind.slug} : It lies." in text_of(
        console.get(HOME)
    )


def test_a_pinned_version_that_was_purged_is_named_by_its_slug(console, client, kind):
    kind.post(client, "install", version=1)
    purge = ["purge_version", kind.name, kind.slug, "1", "--reason", "A court forbids it."]
    call_command(*purge, stdout=StringIO())

    page = console.get(HOME).content.decode()

    assert f">{kind.slug}</a> <code>{kind.slug}</code>" in page
    assert "<b></b>" not in page
