"""What nobody may do in the admin, and what nobody may do without a permission"""

from django.contrib import admin
from django.http import HttpResponse
from django.test import Client

from agents.models import Agent, AgentToken, OperatorClaim, OperatorKey
from catalogue.models import Skill
from installs.models import PersonaInstall, SkillInstall
from marketplace.adminsite.site import MarketplaceAdminSite
from reports.models import Case, Report
from reviews.models import Review
from submissions.models import Submission
from tests.admin.rows import change_page, everything, first_of, make_rows, url_of

WRITTEN_BY_THE_API = [Agent, AgentToken, OperatorClaim, SkillInstall, PersonaInstall, Review]
WRITTEN_BY_THE_API += [Case, Report, OperatorKey, Submission]


def test_rows_of_the_api_cannot_be_added_by_hand(admin_client, subtests):
    for model in WRITTEN_BY_THE_API:
        with subtests.test(model._meta.label):
            url = url_of(model, "add")

            assert admin_client.post(url, {"handle": "made-by-hand"}).status_code == 403
            assert url not in admin_client.get(url_of(model, "changelist")).content.decode()
            assert not model.objects.exists()


def test_rows_of_the_api_cannot_be_edited_by_hand(admin_client, subtests):
    make_rows(1, 1)
    before = everything()
    issued = (AgentToken, OperatorClaim, OperatorKey)
    for model in (*issued, SkillInstall, PersonaInstall, Review, Submission):
        with subtests.test(model._meta.label):
            response = admin_client.post(
                change_page(first_of(model)),
                {"comment": "Forged.", "runtime": "forged", "rating": 1},
            )

            assert response.status_code == 403
            assert everything() == before


def test_rows_that_counters_and_profiles_rest_on_cannot_be_deleted(admin_client, subtests):
    make_rows(1, 1)
    written = (SkillInstall, PersonaInstall, Review, Case, Report, Submission)
    for model in (*written, OperatorClaim, OperatorKey):
        with subtests.test(model._meta.label):
            row = first_of(model)
            deleted = admin_client.post(url_of(model, "delete", row.pk), {"post": "yes"})
            assert deleted.status_code == 403
            admin_client.post(
                url_of(model, "changelist"),
                {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"},
            )

            assert model.objects.filter(pk=row.pk).exists()


def test_staff_without_permissions_see_nothing(clerk_with, monkeypatch):
    make_rows(1, 1)
    clerk = clerk_with()

    assert "have permission to view or edit anything" in clerk.get("/admin/").content.decode()
    # Without the frame, which is the same on each and takes most of the time.
    monkeypatch.setattr(MarketplaceAdminSite, "refuse", lambda *_: HttpResponse(status=403))
    for model in admin.site._registry:
        pages = [url_of(model, page) for page in ("changelist", "add")]
        row = first_of(model)
        pages += [url_of(model, page, row.pk) for page in ("change", "delete", "history")]
        assert {url: clerk.get(url).status_code for url in pages} == dict.fromkeys(pages, 403)


def test_strangers_are_redirected_to_the_log_in(db):
    stranger = Client()
    for model in admin.site._registry:
        response = stranger.get(url_of(model, "changelist"))

        assert response.status_code == 302, model
        assert response.headers["Location"].startswith("/admin/login/")


def test_actions_need_the_permission_to_change(clerk_with):
    make_rows(1, 1)
    Skill.objects.update(status="draft")
    models = admin.site._registry
    clerk = clerk_with(*(f"view_{model._meta.model_name}" for model in models))
    before = everything()
    actions = [(model, action) for model in models for action in models[model].actions]
    actions += [(model, "delete_selected") for model in models]
    for model, action in actions:
        response = clerk.post(
            url_of(model, "changelist"),
            {
                "action": action,
                "_selected_action": first_of(model).pk,
                "post": "yes",
                "confirmed": "yes",
                "reason": "Because.",
                "message": "Because.",
                "issue": "1",
                "scopes": ["read"],
            },
        )
        list(response)  # reads an export to its end
    assert everything() == before
