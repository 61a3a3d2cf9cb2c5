"""Two decisions about one text at once: one counts, and nobody else's bytes are published."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from catalogue.frontmatter import Refused
from catalogue.models import Skill
from marketplace.api.exceptions import ApiError
from submissions.exceptions import AlreadyDecided, TooManyPending
from submissions.models import Maintainer, Submission
from submissions.publishing import Approval, preview, publish
from tests.api.concurrency import during
from tests.factories import AgentFactory
from tests.submissions.conftest import SKILL, URL, changed
from tests.system.scale import LONG

ROUNDS = 200 if LONG else 8


def at_once(*calls):
    """The result of each call, or the error that refused it, all started together."""
    barrier = Barrier(len(calls))

    def called(call):
        try:
            barrier.wait()
            return call()
        except (ApiError, Refused) as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(called, calls))


@pytest.fixture
def unlimited(rates):
    rates(submit="100000/d")


def approval(submission, name, number):
    user = User.objects.get_or_create(username=name)[0]
    findings = preview(submission).findings_digest
    return Approval(user, submission.bytes_digest, number, timezone.now(), findings)


@pytest.mark.contract("29.11")
@pytest.mark.django_db(transaction=True)
def test_two_people_approve_at_once(author, unlimited):
    for number in range(ROUNDS):
        author.post(URL, changed(SKILL, str(number)) | {"baseNumber": number or None})
        copies = [Submission.objects.pending().get() for _ in range(2)]
        names = ["ada", "bob"]
        calls = [
            partial(publish, copy, approval(copy, name, number or None))
            for copy, name in zip(copies, names, strict=True)
        ]

        results = at_once(*calls)

        assert [type(result) for result in results].count(AlreadyDecided) == 1
        skill = Skill.objects.get()
        assert (skill.number, skill.versions.count()) == (number + 1, number + 1)
        winner = names[0] if isinstance(results[1], AlreadyDecided) else names[1]
        decided = Submission.objects.get(number=number + 1)
        assert decided.decided_by.username == decided.version.published_by == winner


@pytest.mark.contract("29.11")
@pytest.mark.django_db(transaction=True)
def test_an_approval_meets_a_newer_submission(author, unlimited):
    number, approved = None, set()
    for turn in range(ROUNDS):
        author.post(URL, changed(SKILL, f"old {turn}") | {"baseNumber": number})
        old = Submission.objects.pending().get()
        newer = changed(SKILL, f"new {turn}") | {"baseNumber": number}
        given = approval(old, "ada", number)

        published, answer = at_once(
            lambda old=old, given=given: publish(old, given),
            lambda newer=newer: author.post(URL, newer),
        )

        assert answer.status_code == 201
        if not isinstance(published, ApiError | Refused):
            approved.add(old.digest)
            number = (number or 0) + 1
        [waiting] = Submission.objects.pending()
        assert waiting.content == newer["content"]
        waiting.withdraw()
        if Skill.objects.exists():
            versions = Skill.objects.get().versions
            assert set(versions.values_list("digest", flat=True)) == approved


@pytest.mark.contract("29.10")
@pytest.mark.parametrize("state", ["published", "rejected"])
@pytest.mark.django_db(transaction=True)
def test_a_newer_submission_replaces_only_a_pending_one(author, unlimited, approve, state):
    author.post(URL, SKILL)
    decided = Submission.objects.get()
    decide = approve if state == "published" else partial(decided.reject, "No.")

    [answer] = during(decide, lambda: author.post(URL, changed(SKILL)))

    assert (answer.status_code, answer.json()["state"]) == (201, "pending")
    decided.refresh_from_db()
    assert (decided.state, decided.content) == (state, SKILL["content"])


@pytest.mark.contract("29.13")
@pytest.mark.django_db(transaction=True)
def test_trust_publishes_over_no_version_that_its_author_has_not_seen(
    author, author_of, submitted, approve
):
    skill, other = submitted(), AgentFactory()
    Maintainer.objects.get().trust()
    Maintainer.objects.add(skill, other)
    author_of(other).post(URL, changed(SKILL, "Theirs.") | {"baseNumber": 1})

    [answer] = during(approve, lambda: author.post(URL, changed(SKILL) | {"baseNumber": 1}))

    assert (answer.status_code, answer.json()["state"]) == (201, "pending")
    skill.refresh_from_db()
    assert (skill.number, skill.content) == (2, changed(SKILL, "Theirs.")["content"])


@pytest.mark.contract("29.9")
@pytest.mark.django_db(transaction=True)
def test_no_two_agents_share_the_last_place(settings, author_of):
    settings.SUBMISSIONS_MAX = 1
    authors = [author_of(AgentFactory()) for _ in range(4)]
    bodies = [
        SKILL | {"content": SKILL["content"].replace("pdf-tables", f"pdf-{number}")}
        for number in range(4)
    ]

    answers = at_once(
        *(
            (lambda author=author, body=body: author.post(URL, body))
            for author, body in zip(authors, bodies, strict=True)
        )
    )

    codes = sorted(answer.status_code for answer in answers)
    assert codes == [201, 409, 409, 409]
    refused = [answer.json() for answer in answers if answer.status_code == 409]
    assert refused == [{"error": TooManyPending.default_detail}] * 3
    assert Submission.objects.count() == 1
