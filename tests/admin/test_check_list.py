"""The drop zone: a folder, files or a text become a preview with a check list"""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.models import Skill
from tests.admin.diffs import lines_of
from tests.admin.files import PERSONAS, SKILL_MD, SKILLS, confirm, outcomes, refusal, upload, zip_of
from tests.factories import SkillFactory

KEY = "AKIA" + "ABCDEFGHIJKLMNOP"
VALID = "---\nname: one\ndescription: Does one.\nlicense: MIT\n---\n\nDo it.\n"


def drop(admin_client, files, *, to=SKILLS, paths=None):
    """Upload the files of a folder, `{path: text}`, as browsers send them."""
    sent = [
        SimpleUploadedFile(path.rpartition("/")[2] or "x", text.encode())
        for path, text in files.items()
    ]
    paths = json.dumps(list(files)) if paths is None else paths
    return admin_client.post(f"{to}import/", {"file": sent, "paths": paths}, follow=True)


def paste(admin_client, text, *, to=SKILLS, **fields):
    return admin_client.post(f"{to}import/", {"text": text, **fields}, follow=True)


def findings(page, kind="created"):
    [outcome] = page.context["outcomes"][kind]
    return [tuple(finding) for finding in outcome.findings]


def test_a_folder_is_one_skill_with_its_files(admin_client):
    page = drop(admin_client, {"one/SKILL.md": VALID, "one/scripts/run.py": "print(1)"})

    assert page.context["title"] == "Preview of one.zip"
    assert outcomes(page) == {"created": ["one/SKILL.md"]}
    confirm(admin_client)
    assert [file["path"] for file in Skill.objects.get(slug="one").files] == ["scripts/run.py"]


def test_several_files_are_several_personas(admin_client):
    files = {f"{name}.md": f"---\nname: {name}\n---\nBe kind.\n" for name in ("one", "two")}

    page = drop(admin_client, files, to=PERSONAS)

    assert outcomes(page) == {"created": ["one.md", "two.md"]}


def test_a_text_is_enough(admin_client):
    page = paste(admin_client, VALID.replace("\n", "\r\n"))

    assert outcomes(page) == {"created": ["SKILL.md"]}
    confirm(admin_client)
    assert Skill.objects.get().content == VALID


def test_a_good_skill_has_no_findings(admin_client):
    page = paste(admin_client, VALID)

    assert findings(page) == []
    assert '<li class="is-good">No findings.</li>' in page.content.decode()


@pytest.mark.contract("28.4", "28.5")
def test_the_findings_of_a_doubtful_one(admin_client):
    body = "[a](gone.md)\n" + "x" * 20_000 + f"\n{KEY}\n"
    files = {
        "one/SKILL.md": f"---\nname: One\ndescription: >\n  Does one.\nhooks: {{}}\n---\n{body}",
        "one/run.sh": "ls",
        "one/keys/id": f"\n{KEY}",
        "one/logo.bin": "\0",
    }

    page = drop(admin_client, files)

    assert findings(page) == [
        ("long-gap", "SKILL.md", 8, "a line of 20,000 characters"),
        ("secret", "SKILL.md", 9, "AWS access key, AKIA…"),
        (
            *("size", "SKILL.md", None),
            "about 5,023 tokens; the recommended maximum is 5,000",
        ),
        ("format", "SKILL.md", 2, "served with a repair: name"),
        ("license", "SKILL.md", None, "it names none"),
        ("dead-link", "SKILL.md", 7, '"gone.md" is not among the files'),
        ("secret", "keys/id", 2, "AWS access key, AKIA…"),
        ("unreadable-file", "logo.bin", None, "binary file"),
        ("script", "run.sh", None, "agents may run it"),
    ]
    [outcome] = page.context["outcomes"]["created"]
    assert outcome.reason == "strict validators refuse: hooks"
    text = page.content.decode()
    assert "<b>secret</b> <span>SKILL.md, line 9: AWS access key, AKIA…</span>" in text


def test_a_persona_has_findings_too(admin_client):
    page = paste(admin_client, f"---\nname: one\nskills: [two]\n---\n{KEY}\n", to=PERSONAS)

    assert findings(page) == [
        ("secret", "one.md", 5, "AWS access key, AKIA…"),
        ("format", "one.md", None, "served with a repair: description"),
        ("license", "one.md", None, "it names none"),
        ("description", "one.md", None, "it has none"),
        ("unknown-skill", "one.md", None, "no published skill is called two"),
    ]


def test_an_existing_entry_is_inspected_as_it_would_become(admin_client):
    upload(admin_client, zip_of({"one/SKILL.md": VALID}))
    confirm(admin_client)

    page = paste(admin_client, VALID.replace("license: MIT\n", ""))

    assert findings(page, "updated") == [("license", "SKILL.md", None, "it names none")]


@pytest.mark.contract("28.10")
def test_a_new_slug_that_looks_like_a_published_one(admin_client):
    SkillFactory(slug="0ne")

    page = paste(admin_client, VALID)

    assert findings(page) == [("look-alike", "SKILL.md", None, "one is easily taken for 0ne")]


@pytest.mark.contract("28.5")
def test_a_preview_shows_the_text_with_visible_marks(admin_client):
    page = paste(admin_client, VALID.replace("Do it.", "Do\u200b it."))

    [outcome] = page.context["outcomes"]["created"]
    [change] = outcome.changes
    assert change["name"] == "SKILL.md"
    assert ("add", "Do[U+200B] it.") in lines_of(change)
    assert "\u200b" not in page.content.decode()


@pytest.mark.contract("28.5")
@pytest.mark.parametrize(
    ("to", "names"),
    [
        (SKILLS, ["SKILL.md", "SKILL.md as agents get it"]),
        (PERSONAS, ["one.md", "Subagent as agents get it"]),
    ],
)
def test_a_preview_shows_what_repairs_change(admin_client, to, names):
    page = paste(admin_client, VALID.replace("name: one", "name: One"), to=to)

    [outcome] = page.context["outcomes"]["created"]
    assert [change["name"] for change in outcome.changes] == names
    assert ("add", "name: one") in lines_of(outcome.changes[1])


@pytest.mark.contract("28.1")
def test_refused_characters_refuse_the_file(admin_client):
    page = paste(admin_client, VALID.replace("Do it.", "Do\U000e0068\U000e0069 it."))

    assert outcomes(page) == {"refused": ["SKILL.md"]}
    [outcome] = page.context["outcomes"]["refused"]
    assert outcome.reason == (
        'delete what nobody can see: SKILL.md, line 7: hidden tag characters that say "hi"'
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "Choose files or paste a text, not both."),
        (
            {"text": VALID, "file": SimpleUploadedFile("a.md", b"x")},
            "Choose files or paste a text, not both.",
        ),
    ],
)
def test_one_of_both_is_given(admin_client, data, sentence):
    page = admin_client.post(f"{SKILLS}import/", data)

    assert refusal(page) == sentence


@pytest.mark.parametrize(
    "paths",
    [
        *("[", "{}", "[1]", '["%s"]' % ("x" * 70_000), '["one/SKILL.md", "two"]'),
        *('["\\u0000/SKILL.md"]', '["\\ud800/SKILL.md"]', "[" * 5000),
    ],
)
def test_paths_that_do_not_fit_are_refused(admin_client, paths):
    page = drop(admin_client, {"one/SKILL.md": VALID}, paths=paths)

    assert page.status_code == 200
    assert page.context["form"].errors
    assert not Skill.objects.exists()


@pytest.mark.parametrize("paths", [["", "one/a.md"], ["one/SKILL.md", ""], ["", ""]])
def test_a_file_of_several_without_a_path_is_refused(admin_client, paths):
    page = drop(admin_client, {"one/SKILL.md": VALID, "x": "y"}, paths=json.dumps(paths))

    [error] = page.context["form"].errors["paths"]
    assert error == "The paths of the files could not be read."


def test_a_single_file_needs_no_path(admin_client):
    page = drop(admin_client, {"SKILL.md": VALID}, paths='[""]')

    assert outcomes(page) == {"created": ["SKILL.md"]}


@pytest.mark.parametrize("path", ["../SKILL.md", "/SKILL.md", "a//SKILL.md", "a/\\b", "a:b"])
def test_a_path_that_leads_elsewhere_is_refused(admin_client, path):
    page = drop(
        admin_client, {"one/SKILL.md": VALID, "x": "y"}, paths=json.dumps(["SKILL.md", path])
    )

    assert page.status_code == 200
    if path.isascii():
        assert "not allowed" in refusal(page)
    else:
        assert outcomes(page) == {"refused": ["SKILL.md"]}


def test_a_dropped_folder_may_be_as_deep_as_a_zip(admin_client):
    paths = ["one/SKILL.md", "one" + "/a" * 20]

    page = drop(admin_client, {"one/SKILL.md": VALID, "x": "y"}, paths=json.dumps(paths))

    sentence = f"The upload holds a path of more than 20 parts: {paths[1]}"
    assert refusal(page) == sentence


def test_more_files_than_a_form_may_have_are_a_400(admin_client, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2

    page = drop(admin_client, {f"one/{number}": "x" for number in range(3)})

    assert page.status_code == 400


def test_the_page_has_a_drop_zone(admin_client):
    text = admin_client.get(f"{SKILLS}import/").content.decode()

    assert 'id="dropzone"' in text
    assert "admin.js" in text
    assert SKILL_MD.partition("\n")[0] in text
