"""Several people import or discard one upload at once, and one of them succeeds"""

import pytest

from catalogue.models import FileContent, Skill
from importing.confirmed import ConfirmedSkillImporter
from importing.models import ImportRun
from tests.admin.actions import told
from tests.admin.files import SKILL_MD, SKILLS, confirm, upload
from tests.admin.rows import change_page
from tests.api.concurrency import during

RUNS = "/admin/importing/importrun/"
TAKEN = ["This upload is already being imported, or it was discarded."]


@pytest.mark.contract("23.9")
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("fields", [{}, {"cancel": "yes"}])
@pytest.mark.django_db(transaction=True)
def test_while_an_import_runs_nobody_repeats_or_discards_it(ada, bob, method, fields):
    upload(ada, SKILL_MD.format("one"), name="SKILL.md")
    run = ImportRun.objects.get()
    url = f"{SKILLS}import/{run.pk}/"
    pages = []

    def meanwhile():
        pages.append(getattr(bob, method)(url, fields, follow=True))
        pages.append(bob.get(RUNS))

    [response] = during(FileContent.objects.take_turn, lambda: ada.post(url), meanwhile=meanwhile)

    page, runs = pages
    assert page.redirect_chain == [(change_page(run), 302)]
    assert told(page) == TAKEN
    assert "importing now" in runs.content.decode()
    assert (response.status_code, response["Location"]) == (302, change_page(run))
    skill, run = Skill.objects.get(), ImportRun.objects.get()
    assert (run.created, run.unchanged) == (1, 0)
    assert run.entries == [[skill.pk, "one", "created"]]
    assert (run.data, run.finished_at is None) == (None, False)


def test_an_import_that_failed_can_be_tried_again(admin_client, monkeypatch):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
    with monkeypatch.context() as patched:
        patched.setattr(ConfirmedSkillImporter, "run", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            confirm(admin_client)
    assert "interrupted: confirm again" in admin_client.get(RUNS).content.decode()

    assert confirm(admin_client).created == 1
