"""The drop zone: a folder, files or a text become a preview with a check list"""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.models import Skill
from tests.admin.files import PERSONAS, SKILL_MD, SKILLS, confirm, outcomes, refusal, upload, zip_of

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


def checks(page, kind="created"):
    [outcome] = page.context["outcomes"][kind]
    return {check.name: (check.is_good, check.text) for check in outcome.checks}


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


def test_the_check_list_of_a_good_skill(admin_client):
    assert checks(paste(admin_client, VALID)) == {
        "Format": (True, "Valid."),
        "License": (True, "MIT"),
        "Secrets": (True, "None found."),
        "Size": (True, "About 16 tokens."),
        "Scripts": (True, "None."),
    }


def test_the_check_list_of_a_doubtful_one(admin_client):
    body = "x" * 20_000 + f"\n{KEY}\n"
    files = {
        "one/SKILL.md": f"---\nname: One\ndescription: >\n  Does one.\nhooks: {{}}\n---\n{body}",
        "one/run.sh": "ls",
        "one/keys/id": "-----BEGIN OPENSSH PRIVATE KEY-----",
        "one/logo.bin": "\0",
    }

    page = drop(admin_client, files)

    assert checks(page) == {
        "Format": (
            False,
            "Repaired: name (line 2). Strict validators refuse: hooks.",
        ),
        "License": (False, "None."),
        "Secrets": (False, "Possible keys in SKILL.md, keys/id."),
        "Size": (
            False,
            "About 5,020 tokens, and 3 files (38\xa0bytes); the recommended maximum is 5,000.",
        ),
        "Scripts": (False, "Agents may run run.sh. Review before you import."),
    }
    text = page.content.decode()
    assert '<li class="is-doubtful"><b>License</b> <span>None.</span></li>' in text
    assert KEY not in text


def test_a_persona_has_a_check_list_too(admin_client):
    page = paste(admin_client, "---\nname: one\nlicense: MIT\n---\nBe kind.\n", to=PERSONAS)

    assert {name for name, (is_good, _) in checks(page).items() if is_good} == {
        *("Format", "License", "Secrets", "Size", "Scripts")
    }


def test_an_existing_entry_is_checked_as_it_would_become(admin_client):
    upload(admin_client, zip_of({"one/SKILL.md": VALID}))
    confirm(admin_client)

    page = paste(admin_client, VALID.replace("license: MIT\n", ""))

    assert checks(page, "updated")["License"] == (False, "None.")


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

    sentence = f"The upload has a path of more than 20 parts: {paths[1]}"
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
