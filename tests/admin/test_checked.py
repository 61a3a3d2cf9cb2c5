"""Staff mark a version as checked, and everybody sees it until the text changes"""

import pytest

from tests.admin.actions import take_action, told
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import visible

CARD = '<span class="badge" title="Staff checked this version">'


ABOUT = {"slug": "pdf-tables", "title": "PDF tables"}


@pytest.fixture
def entry(db):
    return SkillFactory(**ABOUT)


def is_shown(anyone, entry):
    """Whether the card and the page say that the entry is checked."""
    address = entry.get_absolute_url()
    on_card = CARD in anyone.get(address.rpartition("/")[0]).content.decode()
    text = visible(anyone.get(address))
    assert on_card == ("Checked by staff, on" in text)
    if entry.checked_number and not on_card:
        assert f"Checked version {entry.checked_number} by staff, but not this one" in text
    elif not on_card:
        assert "Checked not by staff" in text
    return on_card


def check(admin_client, entry):
    entry.refresh_from_db()
    number = {f"number_of_{entry.pk}": entry.number}
    return take_action(admin_client, "mark_as_checked", entry, **number)


@pytest.mark.contract("25.16")
@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory])
def test_it_is_shown_until_the_text_changes(admin_client, anyone, make):
    entry = make(**ABOUT)
    assert not is_shown(anyone, entry)

    page = check(admin_client, entry)

    assert told(page) == ["Marked as checked: pdf-tables."]
    assert is_shown(anyone, entry)
    entry.refresh_from_db()
    entry.description = "Other words"
    entry.save(update_fields=["description"])
    assert is_shown(anyone, entry) == (entry._meta.model_name == "persona")
    entry.content = "Another text"
    entry.save(update_fields=["content"])
    assert not is_shown(anyone, entry)
    check(admin_client, entry)
    assert is_shown(anyone, entry)


def test_it_is_asked_first_and_names_the_version(admin_client, anyone, entry):
    page = admin_client.get(f"{change_page(entry).removesuffix('change/')}do/mark_as_checked/")

    assert "<b>pdf-tables</b><span>version 1</span>" in page.content.decode()
    assert not is_shown(anyone, entry)


@pytest.mark.contract("25.16")
def test_it_can_be_removed(admin_client, anyone, entry):
    check(admin_client, entry)

    page = take_action(admin_client, "remove_check", entry)

    assert told(page) == ["Check removed: pdf-tables."]
    assert not is_shown(anyone, entry)
    page = take_action(admin_client, "remove_check", entry)
    assert told(page) == ["Nothing to remove: none of these is checked."]


@pytest.mark.contract("25.16")
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_only_what_agents_get_can_be_checked(admin_client, status):
    entry = SkillFactory(status=status)

    page = check(admin_client, entry)

    assert told(page) == ["Nothing to mark: choose published entries that are not checked yet."]
    entry.refresh_from_db()
    assert entry.checked_number is None


@pytest.mark.contract("25.16")
@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory])
def test_agents_see_no_change(admin_client, anyone, make):
    entry = make(**ABOUT)
    path = entry.get_absolute_url()
    addresses = [f"/api/v1{address}" for address in (path, "/changes", f"{path}/versions")]
    before = [anyone.get(address).json() for address in addresses]

    check(admin_client, entry)

    assert [anyone.get(address).json() for address in addresses] == before


def test_the_form_shows_when(admin_client, entry):
    assert "Checked at" not in admin_client.get(change_page(entry)).content.decode()

    check(admin_client, entry)

    assert "Checked at" in admin_client.get(change_page(entry)).content.decode()


def test_a_version_that_was_published_meanwhile_is_not_checked_unseen(admin_client, anyone, entry):
    url = f"{change_page(entry).removesuffix('change/')}do/mark_as_checked/"
    form = untouched_form(admin_client.get(url))
    entry.content = "Another text"
    entry.save(update_fields=["content"])

    page = admin_client.post(url, form | {"confirmed": "yes"}, follow=True)

    assert told(page) == ["pdf-tables: Its version is another one now. Look at it, then check it."]
    assert not is_shown(anyone, entry)
    form = untouched_form(admin_client.get(url))
    admin_client.post(url, form | {"confirmed": "yes"})
    assert is_shown(anyone, entry)
