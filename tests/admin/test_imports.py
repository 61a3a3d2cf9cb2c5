"""Staff upload a file or a zip, see what it would do, and export what can be imported again"""

import io
import stat
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogue.importing import files
from catalogue.models import ImportRun, Persona, Skill
from marketplace.adminsite import uploads
from tests.factories import PersonaFactory, SkillFactory

SKILLS = "/admin/catalogue/skill/"
PERSONAS = "/admin/catalogue/persona/"
SKILL_MD = "---\nname: {0}\ndescription: Does {0}.\n---\n\nDo it.\n"


def zip_of(contents):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return packed.getvalue()


def upload(admin_client, data, *, name="skills.zip", to=SKILLS, **fields):
    file = SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode())
    return admin_client.post(f"{to}import/", {"file": file, **fields}, follow=True)


def confirm(admin_client, to=SKILLS):
    run = ImportRun.objects.get(finished_at=None)
    answer = admin_client.post(f"{to}import/{run.pk}/", follow=True)
    assert answer.status_code == 200
    run.refresh_from_db()
    return run


def outcomes(page):
    return {
        kind: [outcome.path for outcome in found]
        for kind, found in page.context["outcomes"].items()
        if found
    }


def refusal(page):
    """The one sentence that an upload was refused with as a whole."""
    (sentence,) = page.context["form"].errors["file"]
    return sentence


def test_a_preview_says_what_would_happen_and_writes_nothing(admin_client):
    SkillFactory(slug="two", title="Two", content="Old", description="Old.")
    before = list(Skill.objects.values())

    page = upload(
        admin_client,
        zip_of(
            {
                "one/SKILL.md": SKILL_MD.format("one"),
                "two/SKILL.md": SKILL_MD.format("two"),
                "three/SKILL.md": "No frontmatter.",
            }
        ),
    )

    assert outcomes(page) == {
        "created": ["one/SKILL.md"],
        "updated": ["two/SKILL.md"],
        "refused": ["three/SKILL.md"],
    }
    text = page.content.decode()
    assert "no frontmatter" in text
    assert '<span class="del">Old.</span> <span class="add">Does two.</span>' in text
    assert list(Skill.objects.values()) == before
    assert Skill.history.count() == 0


def test_confirmed_it_is_done_and_kept_with_what_it_refused(admin_client, anyone):
    SkillFactory(slug="two", content="Old")
    contents = {name: SKILL_MD.format(name) for name in ("one", "two")} | {"three": "No."}
    upload(admin_client, zip_of({f"{name}/SKILL.md": text for name, text in contents.items()}))

    run = confirm(admin_client)

    assert (run.created, run.updated, run.unchanged, run.refused) == (1, 1, 0, 1)
    (refused,) = run.refusals
    assert refused[0] == "three/SKILL.md"
    assert run.data is None
    assert anyone.get("/api/v1/skills/one").json()["description"] == "Does one."
    assert anyone.get("/api/v1/skills/two").json()["content"] == SKILL_MD.format("two")
    assert "Imports of this week with refused files" in admin_client.get("/admin/").content.decode()


def test_what_it_changed_is_in_the_history(admin_client):
    SkillFactory(slug="two", content="Old")
    upload(admin_client, SKILL_MD.format("two"), name="SKILL.md")
    confirm(admin_client)

    after, before = Skill.objects.get().history.all()
    assert (before.content, after.content) == ("Old", SKILL_MD.format("two"))
    assert after.history_user.username == "clerk-0"


def test_a_single_file_of_either_kind_is_enough(admin_client, anyone):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
    confirm(admin_client)
    upload(admin_client, SKILL_MD.format("scribe"), name="scribe.md", to=PERSONAS)
    confirm(admin_client, PERSONAS)

    assert anyone.get("/api/v1/skills/one").status_code == 200
    assert anyone.get("/api/v1/personas/scribe").json()["content"] == "Do it."
    assert Skill.objects.get().source == "admin:one/SKILL.md"


def test_the_same_file_again_changes_nothing(admin_client):
    for _ in range(2):
        page = upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
        confirm(admin_client)

    assert list(outcomes(page)) == ["unchanged"]
    assert Skill.objects.count() == 1


def test_new_ones_stay_drafts_on_request(admin_client):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md", draft="on")
    confirm(admin_client)

    assert Skill.objects.get().status == "draft"


def test_a_discarded_preview_leaves_nothing(admin_client):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")

    admin_client.post(f"{SKILLS}import/{ImportRun.objects.get().pk}/", {"cancel": "yes"})

    assert not ImportRun.objects.exists()
    assert not Skill.objects.exists()


def test_a_finished_import_is_not_done_again(admin_client):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
    run = confirm(admin_client)

    assert admin_client.get(f"{SKILLS}import/{run.pk}/").status_code == 404
    assert admin_client.post(f"{SKILLS}import/{run.pk}/").status_code == 404


def test_two_files_of_one_slug_are_not_both_taken(admin_client):
    contents = {"a/SKILL.md": SKILL_MD.format("one"), "b/SKILL.md": SKILL_MD.format("one")}

    page = upload(admin_client, zip_of(contents))

    assert outcomes(page) == {"created": ["a/SKILL.md"], "refused": ["b/SKILL.md"]}


def test_a_zip_of_both_kinds_gives_each_admin_its_own(admin_client):
    both = zip_of({"one/SKILL.md": SKILL_MD.format("one"), "scribe.md": SKILL_MD.format("scribe")})

    assert outcomes(upload(admin_client, both)) == {"created": ["one/SKILL.md"]}
    assert outcomes(upload(admin_client, both, to=PERSONAS)) == {"created": ["scribe.md"]}


def special(name, mode):
    member = zipfile.ZipInfo(name)
    member.external_attr = mode << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(member, "/etc/passwd")
    return packed.getvalue()


def encrypted():
    data = bytearray(zip_of({"one/SKILL.md": "x"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


HOSTILE = {
    "no zip": (b"PK nothing", "The file is no zip that can be read."),
    "cut off": (zip_of({"one/SKILL.md": "x" * 999})[:60], "The file is no zip that can be read."),
    "a password": (encrypted(), "The file is no zip that can be read."),
    "a path upwards": (zip_of({"../SKILL.md": "x"}), "a path that is not allowed: ../SKILL.md"),
    "a path upwards inside": (zip_of({"a/../../b.md": "x"}), "a path that is not allowed"),
    "an absolute path": (zip_of({"/etc/SKILL.md": "x"}), "a path that is not allowed"),
    "a Windows path": (zip_of({"a\\b.md": "x"}), "a path that is not allowed"),
    "a drive": (zip_of({"C:/b.md": "x"}), "a path that is not allowed"),
    "a long path": (zip_of({"a" * 401 + ".md": "x"}), "a path that is not allowed"),
    "a link": (special("one/SKILL.md", stat.S_IFLNK | 0o777), "a link or a device"),
    "a device": (special("one/SKILL.md", stat.S_IFCHR | 0o666), "a link or a device"),
    "a file as a folder": (zip_of({"a.md": "x", "a.md/b.md": "x"}), "cannot be read"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_zip_is_refused_as_a_whole_in_one_sentence(admin_client, name):
    data, sentence = HOSTILE[name]

    page = upload(admin_client, data)

    assert sentence in refusal(page)
    assert not Skill.objects.exists()
    run = ImportRun.objects.get()
    assert (run.data, run.refused, run.refusals) == (None, 1, [["skills.zip", refusal(page)]])


def test_a_zip_bomb_is_not_unpacked(admin_client, monkeypatch):
    monkeypatch.setattr(files, "MAX_UNPACKED", 3 * 1024 * 1024)
    large = " " * 1024 * 1024
    bomb = zip_of({f"{number}/SKILL.md": large for number in range(5)})
    assert len(bomb) < 20_000

    assert refusal(upload(admin_client, bomb)) == "The zip unpacks to more than 3 MiB."


def test_one_file_that_is_too_large_is_refused_alone(admin_client):
    contents = {"one/SKILL.md": SKILL_MD.format("one"), "large/SKILL.md": " " * 20 * 1024 * 1024}

    page = upload(admin_client, zip_of(contents))

    assert outcomes(page) == {"created": ["one/SKILL.md"], "refused": ["large/SKILL.md"]}
    assert page.context["outcomes"]["refused"][0].reason == "larger than 1024 KiB"


def test_too_many_files_are_refused(admin_client, monkeypatch):
    monkeypatch.setattr(files, "MAX_FILES", 2)
    page = upload(admin_client, zip_of({f"{n}/SKILL.md": SKILL_MD.format(n) for n in range(3)}))
    assert refusal(page) == "The zip holds more than 2 Markdown files."

    monkeypatch.setattr(files, "MAX_MEMBERS", 3)
    page = upload(admin_client, zip_of({f"{number}.png": "" for number in range(4)}))
    assert refusal(page) == "The zip holds more than 3 files."


def test_a_large_upload_is_refused(admin_client, monkeypatch):
    monkeypatch.setattr(files, "MAX_UPLOAD", 1024 * 1024)

    page = upload(admin_client, b" " * (1024 * 1024 + 1))

    assert refusal(page) == "The file is larger than 1 MiB."


def test_an_endless_upload_is_cut_off_on_any_page(admin_client, anyone, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_BYTES", 1024 * 1024)
    data = SimpleUploadedFile("skills.zip", b" " * 2 * 1024 * 1024)

    assert admin_client.post(f"{SKILLS}import/", {"file": data}).status_code == 400
    assert not ImportRun.objects.exists()


def test_another_kind_of_file_is_refused(admin_client):
    page = upload(admin_client, b"x", name="skills.tar.gz")

    assert refusal(page) == "Upload a Markdown file (.md) or a zip of them."


def test_a_zip_without_what_is_looked_for_is_refused(admin_client):
    data = zip_of({"notes.md": "x", "a.png": "x"})
    assert refusal(upload(admin_client, data)) == "The zip holds no SKILL.md."

    data = zip_of({"README.md": "x", "one/SKILL.md": SKILL_MD.format("one")})
    assert refusal(upload(admin_client, data, to=PERSONAS)) == "The zip holds no persona file."


def test_a_single_file_may_have_any_name(admin_client):
    page = upload(admin_client, SKILL_MD.format("one"), name="SKILL (1).md")

    assert outcomes(page) == {"created": ["SKILL.md"]}


def test_a_long_slug_is_found_again(admin_client):
    SkillFactory(slug="a" * 100, content=SKILL_MD.format("a" * 100))

    assert list(outcomes(upload(admin_client, exported(admin_client)))) == ["unchanged"]


def test_other_files_of_a_skill_are_passed_over(admin_client):
    contents = {"one/SKILL.md": SKILL_MD.format("one"), "one/scripts/run.py": "print()"}

    assert outcomes(upload(admin_client, zip_of(contents))) == {"created": ["one/SKILL.md"]}


# Export


def exported(admin_client, to=SKILLS):
    answer = admin_client.get(f"{to}export/")
    assert answer["Content-Type"] == "application/zip"
    return b"".join(answer.streaming_content)


def names_in(data):
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


@pytest.fixture
def odd_catalogue(db):
    """Entries whose fields and texts disagree, as staff and the API have left them."""
    odd = "Colons: yes, “quotes”, #hash, - dash"
    skills = [
        SkillFactory(slug="plain", content=SKILL_MD.format("plain")),
        SkillFactory(slug="renamed", title=odd, content=SKILL_MD.format("other-name")),
        SkillFactory(slug="bare", content="\n\n    No frontmatter.\n\n", description="Two\nlines."),
        SkillFactory(
            slug="rich",
            tags=["a b", "c"],
            runtimes=["shell"],
            version="1.10",
            license="MIT",
            content="---\nname: rich\nmetadata:\n  title: Old\n  mood: good\n---\nBody\n",
        ),
        SkillFactory(slug="broken", content="---\nname: [broken\n---\nBody"),
    ]
    PersonaFactory(slug="scribe", skills=skills[:2], content="\nYou write.\n\n", title=odd)
    PersonaFactory(slug="priced", price_cents=1050, content="---\nno: frontmatter")


@pytest.mark.usefixtures("odd_catalogue")
@pytest.mark.parametrize("to", [SKILLS, PERSONAS])
def test_what_is_exported_changes_nothing_when_it_is_imported(admin_client, to):
    rows = {model: list(model.objects.order_by("pk").values()) for model in (Skill, Persona)}
    data = exported(admin_client, to)

    page = upload(admin_client, data, to=to)
    assert list(outcomes(page)) == ["unchanged"]
    confirm(admin_client, to)

    assert {model: list(model.objects.order_by("pk").values()) for model in rows} == rows
    assert exported(admin_client, to) == data or names_in(exported(admin_client, to)) == names_in(
        data
    )


@pytest.mark.usefixtures("odd_catalogue")
def test_into_an_empty_catalogue_it_brings_the_same_fields(admin_client):
    skills, personas = exported(admin_client), exported(admin_client, PERSONAS)
    fields = ["slug", "title", "category", "tags", "runtimes", "version", "license"]
    kept = [set(map(str, model.objects.values(*fields))) for model in (Skill, Persona)]
    prices = dict(Persona.objects.values_list("slug", "price_cents"))
    bundles = {each.slug: {s.slug for s in each.skills.all()} for each in Persona.objects.all()}
    Persona.objects.all().delete()
    Skill.objects.all().delete()

    for data, to in ((skills, SKILLS), (personas, PERSONAS)):
        upload(admin_client, data, to=to)
        confirm(admin_client, to)

    assert [set(map(str, model.objects.values(*fields))) for model in (Skill, Persona)] == kept
    assert dict(Persona.objects.values_list("slug", "price_cents")) == prices
    assert {
        each.slug: {s.slug for s in each.skills.all()} for each in Persona.objects.all()
    } == bundles
    assert list(outcomes(upload(admin_client, skills))) == ["unchanged"]


def test_selected_entries_are_exported(admin_client):
    one, _ = SkillFactory(slug="one"), SkillFactory(slug="two")

    answer = admin_client.post(SKILLS, {"action": "export", "_selected_action": [one.pk]})

    assert names_in(b"".join(answer.streaming_content)) == ["one/SKILL.md"]


def test_more_than_a_batch_is_exported_whole(admin_client, monkeypatch):
    monkeypatch.setattr(files, "EXPORT_BATCH", 2)
    SkillFactory.create_batch(5)

    assert len(names_in(exported(admin_client))) == 5
