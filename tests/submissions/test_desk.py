"""The desk as a list: what is pending, who submitted it, and what staff may do."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.html import strip_tags

from agents.models import OperatorKey
from submissions.models import Submission
from tests.admin.actions import take_action, told
from tests.browser import untouched_form
from tests.factories import AgentFactory, SkillFactory, claim
from tests.submissions.conftest import DESK, PERSONA, SKILL, TEXT, URL, Desk, changed


def submit(author, slug, **more):
    body = SKILL | {"content": TEXT.replace("pdf-tables", slug)} | more
    assert author.post(URL, body).status_code == 201
    return Submission.objects.latest("pk")


def rows_of(page):
    """The texts of each row by column; a bar separates two lines."""
    model_admin = page.context["cl"].model_admin
    names = [name for name in page.context["cl"].list_display if name != "action_checkbox"]
    return [
        {name: cell(getattr(model_admin, name)(row)) for name in names}
        for row in page.context["cl"].result_list
    ]


def cell(html):
    return strip_tags(html.replace("<br>", " | "))


def slugs_of(page):
    return [row.slug for row in page.context["cl"].result_list]


@pytest.mark.parametrize("key", ["x", "\0", "1.5"])
def test_what_is_no_row_cannot_be_selected(desk, pending, key):
    form = {"action": "reject", "_selected_action": [pending.pk, key]}

    assert desk.client.post(DESK, form).status_code == 400


@pytest.mark.contract("29.18")
def test_the_list_says_who_proposes_what(desk, agent, author, submitted):
    claim(agent, name="Ada Lovelace")
    submitted()
    submit(author, "csv-tables").reject("No.")
    script = {"path": "run.py", "content": "print()"}
    author.post(URL, changed(SKILL) | {"files": [script], "baseNumber": 1})

    [row] = rows_of(desk.list())

    assert row == {
        "entry": "pdf-tables",
        "change": "version 1",
        "codes": "scripts change",
        "author": "@caller | for 0\xa0minutes, 1 published, 1 rejected",
        "operator": "Ada Lovelace | not verified, for 0\xa0minutes",
        "age": "0\xa0minutes",
    }


@pytest.mark.contract("29.18")
def test_a_verified_operator_has_a_name(desk, agent, author):
    claim(agent, name="Ada Lovelace")
    submit(author, "csv-tables")
    OperatorKey.objects.update(verified_at=timezone.now())
    assert rows_of(desk.list())[0]["operator"] == "Ada Lovelace | for 0\xa0minutes"

    agent.refresh_from_db()
    claim(agent, name="The Queen")
    OperatorKey.objects.filter(revoked_at=None).update(
        verified_at=timezone.now() - timedelta(hours=1)
    )

    assert rows_of(desk.list())[0]["operator"] == "The Queen | not verified, for 0\xa0minutes"


@pytest.mark.contract("29.18")
def test_the_oldest_comes_first_and_what_is_decided_has_gone(desk, author):
    for slug in ("a-tables", "b-tables", "c-tables"):
        submit(author, slug)
    Submission.objects.get(slug="b-tables").reject("No.")

    assert slugs_of(desk.list()) == ["a-tables", "c-tables"]
    assert slugs_of(desk.list("?o=-6")) == ["c-tables", "a-tables"]
    assert slugs_of(desk.list("?state=rejected")) == ["b-tables"]
    assert slugs_of(desk.list("?state=all")) == ["a-tables", "b-tables", "c-tables"]


def test_filters_and_searches(desk, author, subtests):
    first = submit(author, "a-tables")
    submit(author, "b-tables", files=[{"path": "run.py", "content": "print()"}])
    author.post(URL, PERSONA)
    take_action(desk.client, "assign_to_me", first)

    for query, slugs in {
        "?kind__exact=persona": ["archivist"],
        "?finding=script": ["b-tables"],
        "?finding=scripts": ["b-tables"],
        "?finding=look-alike": [],
        "?waiting=long": [],
        "?assigned=nobody": ["b-tables", "archivist"],
        "?assigned=me": ["a-tables"],
        "?q=a-tables": ["a-tables"],
        "?q=archivist": ["archivist"],
        "?q=@caller": ["a-tables", "b-tables", "archivist"],
    }.items():
        with subtests.test(query):
            assert slugs_of(desk.list(query)) == slugs


def test_the_list_takes_as_many_queries_for_many_rows(
    desk, agent, author, django_assert_max_num_queries
):
    claim(agent)
    for number in range(12):
        submit(author, f"tables-{number}", files=[{"path": "run.py", "content": "1"}])

    with django_assert_max_num_queries(9) as queries:
        assert len(slugs_of(desk.list())) == 12

    assert '"content"' not in "".join(query["sql"] for query in queries.captured_queries)


@pytest.mark.contract("29.18")
def test_a_suspended_author_is_marked(desk, agent, author):
    submit(author, "a-tables")
    agent.suspend("It floods.")

    assert rows_of(desk.list())[0]["author"].startswith("@caller (suspended)")


@pytest.mark.contract("29.1")
def test_without_submissions_there_is_no_desk(settings, desk, author):
    submission = submit(author, "a-tables")
    assert DESK in desk.client.get("/admin/").content.decode()
    settings.SUBMISSIONS = "off"

    assert DESK not in desk.client.get("/admin/").content.decode()
    assert desk.list().status_code == desk.page(submission).status_code == 403


@pytest.mark.contract("29.18")
def test_the_dashboard_counts_what_waits_for_three_days(desk, author):
    text = "submissions that wait for more than three days"
    submit(author, "a-tables")
    submit(author, "b-tables")
    assert text not in desk.client.get("/admin/").content.decode()
    long_ago = timezone.now() - timedelta(days=3, minutes=1)
    Submission.objects.filter(slug="a-tables").update(created_at=long_ago)

    [item] = [
        item for item in desk.client.get("/admin/").context["attention"] if item["text"] == text
    ]

    assert (str(item["number"]), item["url"]) == ("1", f"{DESK}?waiting=long")
    assert slugs_of(desk.client.get(item["url"])) == ["a-tables"]


@pytest.mark.contract("29.18")
def test_several_are_rejected_with_one_reason(desk, author):
    first, second, decided = (submit(author, slug) for slug in ("a", "b", "c"))
    decided.reject("Before.")

    page = take_action(desk.client, "reject", first, second, decided, reason="Spam.\r\nSorry.")

    reasons = dict(Submission.objects.values_list("slug", "reason"))
    assert reasons == {"a": "Spam.\nSorry.", "b": "Spam.\nSorry.", "c": "Before."}
    assert told(page) == ["Rejected: skill a by @caller, skill b by @caller."]
    row = author.get(f"{URL}/{first.public_id}").json()
    assert (row["state"], row["reason"]) == ("rejected", "Spam.\nSorry.")


@pytest.mark.contract("29.18")
def test_staff_correct_a_reason_which_the_author_reads(desk, author, pending):
    pending.reject("To long.")
    address = f"{DESK}{pending.pk}/do/correct_reason/"
    form = untouched_form(desk.client.get(address))
    assert form["reason"] == "To long."

    corrected = form | {"confirmed": "yes", "reason": "Too long."}
    page = desk.client.post(address, corrected, follow=True)

    assert told(page) == ["Corrected the reason: skill pdf-tables by @caller."]
    assert author.get(f"{URL}/{pending.public_id}").json()["reason"] == "Too long."


@pytest.mark.contract("29.18")
def test_an_earlier_reason_is_offered_again(desk, author):
    [first, second, third] = [submit(author, slug) for slug in ("a", "b", "c")]
    desk.decide(desk.page(first), "reject", reason="Spam.")
    page = desk.page(second)
    choices = page.context["reject_form"].fields["earlier"].widget.choices
    assert choices == [("", "an earlier rejection"), (first.pk, "Spam.")]

    unsent = desk.decide(page, "publish", earlier=first.pk)
    desk.decide(page, "publish", earlier=0)  # of no rejection
    desk.decide(page, "reject", earlier=first.pk)
    take_action(desk.client, "reject", third, earlier=first.pk)

    assert "Nothing was published: you have written a reason." in unsent.content.decode()
    assert set(Submission.objects.values_list("state", "reason")) == {("rejected", "Spam.")}
    assert "Nothing is pending." in desk.list().content.decode()


def test_there_is_no_publishing_of_several(desk):
    actions = desk.list().context["cl"].model_admin.actions

    assert actions == ["reject", "correct_reason", "add_note", "assign_to_me", "assign"]


@pytest.mark.contract("29.18")
def test_who_may_decide_may_add_and_change_its_kind(desk, author, clerk_with, alone):
    submission = submit(author, "a-tables")
    page = desk.page(submission)

    for names, status in [
        (["view_submission"], 403),
        (["view_submission", "change_submission", "add_skill"], 403),
        (["view_submission", "change_submission", "change_skill"], 403),
        (["view_submission", "add_skill", "change_skill"], 403),
        (["view_submission", "change_submission", "add_persona", "change_persona"], 403),
        (["view_submission", "change_submission", "add_skill", "change_skill"], 200),
    ]:
        with alone(str(names)):
            clerk = Desk(clerk_with(*names))
            for decision in ("reject", "publish"):
                response = clerk.decide(page, decision, reason="")
                assert response.status_code == status
            if status == 403:
                assert Submission.objects.get().state == "pending"
                shown = clerk.page(submission).content.decode()
                assert ('id="decide"' in shown, 'name="decision"' in shown) == (False, False)


@pytest.mark.contract("29.18")
def test_moderators_read(author, admin_client_of):
    submission = submit(author, "a-tables")
    moderator, editor = Desk(admin_client_of("Moderators")), Desk(admin_client_of("Editors"))

    assert "Do it." in moderator.page(submission).content.decode()
    assert moderator.client.get(f"{DESK}{submission.pk}/do/reject/").status_code == 403
    assert editor.client.get(f"{DESK}{submission.pk}/do/reject/").status_code == 200
    assert 'id="decide"' in editor.page(submission).content.decode()


def test_a_submission_of_staff_names_its_author(desk, author):
    submission = submit(author, "a-tables")
    grace = User.objects.create_user("grace")
    Submission.objects.update(agent=None, user=grace)

    [row] = rows_of(desk.list())
    assert (row["author"], row["operator"]) == ("grace | on the staff", "")
    assert "by grace" in desk.page(submission).content.decode()


def test_agents_that_exist_for_long_are_told_from_new_ones(desk, author_of):
    agent = AgentFactory(handle="old")
    type(agent).objects.filter(pk=agent.pk).update(created_at=timezone.now() - timedelta(days=800))
    SkillFactory(slug="a-tables")
    submit(author_of(agent), "b-tables")

    assert rows_of(desk.list())[0]["author"] == "@old | for 2\xa0years, no submission decided yet"
