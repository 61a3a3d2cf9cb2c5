"""A run ends before its next entry once staff change its source, or the process ends"""

import pytest
from django.db.models.signals import post_save

from sources.exceptions import Interrupted
from sources.models import Source
from submissions.models import SubmittedVersion
from tests.imports import receiving
from tests.sources.syncing.conftest import published


@pytest.mark.contract("30.13")
def test_nothing_follows_once_staff_pause_it(repository):
    repository.skill("pdf")

    with pytest.raises(Interrupted, match="Staff have paused it"):
        repository.sync(state="paused")

    assert published() == {}
    assert Source.objects.get().state == "paused"


CHANGES = {
    "url": "https://git.example.com/other.git",
    "ref": "stable",
    "token_variable": "SOURCE_TOKEN_TEAM",
    "kind": "both",
    "folder": "skills",
    "review": "here",
    "wait_hours": 24,
}


@pytest.mark.contract("30.13")
@pytest.mark.parametrize("field", CHANGES)
def test_a_run_ends_without_a_result_once_staff_change_its_settings(repository, field):
    repository.skill("csv")
    repository.skill("pdf")

    def change(**_):
        Source.objects.get().change(**{field: CHANGES[field]})

    with receiving(post_save, SubmittedVersion, change), pytest.raises(Interrupted):
        repository.sync()

    source = Source.objects.get()
    assert list(published()) == ["csv"]
    assert (source.commit, source.counts, source.soon) == ("", {}, True)


def pause(source):
    source.pause()
    source.resume()


def change_twice(source):
    source.change(ref="stable")
    source.change(ref="main")


@pytest.mark.contract("30.8", "30.13")
@pytest.mark.parametrize("act", [pause, change_twice])
def test_a_run_ends_once_the_waits_of_its_texts_begin_again(repository, act):
    repository.skill("csv")
    repository.skill("pdf")

    def change(**_):
        act(Source.objects.get())

    with receiving(post_save, SubmittedVersion, change), pytest.raises(Interrupted):
        repository.sync()

    source = Source.objects.get()
    assert list(published()) == ["csv"]
    assert (source.state, source.commit, source.soon) == ("ok", "", True)


@pytest.mark.contract("30.13")
def test_a_failure_of_other_settings_is_not_recorded(repository):
    stale = Source.objects.get()
    Source.objects.get().change(ref="stable")

    with pytest.raises(Interrupted):
        stale.fail("The branch or tag main is gone.")

    assert Source.objects.get().state == "ok"


@pytest.mark.contract("30.13")
def test_a_new_name_ends_no_run(repository):
    repository.skill("csv")
    repository.skill("pdf")

    def change(**_):
        source = Source.objects.get()
        if source.name == "team":
            source.change(name="office")

    with receiving(post_save, SubmittedVersion, change):
        repository.sync()

    assert published() == {"csv": "git:office:csv/SKILL.md", "pdf": "git:office:pdf/SKILL.md"}


class PowerCut(Exception):
    pass


@pytest.mark.contract("30.13")
def test_a_run_that_is_cut_off_leaves_no_half_of_an_entry(repository):
    repository.skill("csv")
    repository.skill("pdf", data_txt="1")

    def cut_off(instance, **_):
        if instance.skill_version.skill.slug == "pdf":
            raise PowerCut

    with receiving(post_save, SubmittedVersion, cut_off), pytest.raises(PowerCut):
        repository.sync()
    assert list(published()) == ["csv"]

    source = repository.sync()

    assert source.counts == {"published": 1, "unchanged": 1, "findings": 0}
    assert set(published()) == {"csv", "pdf"}
