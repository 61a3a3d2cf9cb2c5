"""The part of the day in the admin (test_walk.py) in which staff write and import skills."""

import io
import zipfile

from catalogue.models import Skill

SKILL_MD = """---
name: pdf-tables
description: Reads tables out of PDF files.
metadata:
  tags: [pdf, tables]
---

# Tables

Use **pdfplumber**.
"""


PASTE = """(field, text) => {
  field.value = text;
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: new DataTransfer() }));
}"""


def zip_of(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return {"name": "skills.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}


def write_a_skill(staff):
    staff.open("/admin/catalogue/skill/add/")
    staff.page.fill("#id_title", "PDF Tables")
    staff.page.fill("#id_content", "No frontmatter.")
    staff.press("Save")
    assert "Start with frontmatter" in staff.text()
    staff.look("skill-refused")

    staff.page.locator("#id_content").evaluate(PASTE, SKILL_MD)
    staff.page.wait_for_selector("text=Filled from the frontmatter: slug, description, tags.")
    staff.page.wait_for_selector("#markdown-preview strong:has-text('pdfplumber')")
    staff.look("skill-preview")
    staff.press("Save and continue editing")
    assert staff.page.input_value("#id_tags") == "pdf,tables"
    assert staff.page.input_value("#id_description") == "Reads tables out of PDF files."
    assert staff.api("skills/pdf-tables").status == 404

    staff.press("Publish")
    staff.look("publish")
    staff.press("Publish")
    assert "Published: pdf-tables (version 1, no agent gets it yet)." in staff.text()
    assert staff.api("skills/pdf-tables").json()["content"] == SKILL_MD
    staff.page.click(".staff-menu summary")
    staff.look("skill-menu")
    staff.press("As an agent sees it")
    assert '"slug": "pdf-tables"' in staff.text()
    staff.look("as-agent")


def import_a_zip(staff):
    cleaning = "---\nname: csv-cleaning\ndescription: Cleans.\n---\n"
    files = {
        "pdf-tables/SKILL.md": SKILL_MD.replace("pdfplumber", "camelot"),
        "csv-cleaning/SKILL.md": cleaning + "Do it.\n" * 40,
        "broken/SKILL.md": "No frontmatter at all.",
    }
    staff.open("/admin/catalogue/skill/")
    staff.look("skills")
    staff.press("Import")
    staff.page.set_input_files("#id_file", zip_of(files))
    staff.press("Preview")
    text = staff.text()
    assert "To create: 1. To change: 1. Unchanged: 0. Refused: 1." in text
    assert "no frontmatter" in text
    assert "camelot" in staff.page.inner_text(".diff .add")
    assert "pdfplumber" in staff.page.inner_text(".diff .del")
    staff.look("import-preview")
    assert not Skill.objects.filter(slug="csv-cleaning").exists()

    staff.press("Import and publish all")
    staff.look("import-done")
    assert "broken/SKILL.md: no frontmatter" in staff.text()
    assert "camelot" in staff.api("skills/pdf-tables").json()["content"]
    assert staff.api("skills/csv-cleaning").status == 200


def import_a_folder(staff, folder):
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL_MD.replace("pdf-tables", "tea-tables"))
    (folder / "scripts/brew.py").write_text("print('tea')")
    staff.open("/admin/catalogue/skill/import/")
    staff.look("import")
    with staff.page.expect_navigation():
        staff.page.set_input_files("#dropzone input", folder)
    staff.page.wait_for_selector("text=Preview of tea-tables.zip")
    assert "agents may run it" in staff.text()
    staff.look("check-list")
    staff.press("Import and publish all")
    assert staff.api("skills/tea-tables/files/scripts/brew.py").status == 200
    change_a_file(staff)


def change_a_file(staff):
    skill = Skill.objects.get(slug="tea-tables")
    staff.open(f"/admin/catalogue/skill/{skill.pk}/change/")
    assert staff.page.inner_text("#save-label") == "Save labels"
    staff.page.click("[aria-label='Change scripts/brew.py']")
    staff.page.wait_for_function("document.querySelector('.staff-file textarea')?.value")
    assert staff.page.inner_text("#save-label") == "Save labels"
    staff.page.fill(".staff-file textarea", "print('mate')")
    staff.page.click("text=Add a file")
    staff.page.fill(".staff-file:last-child [name$=path]", "a/.env")
    assert staff.page.get_by_role("button", name="Publish and continue editing").is_visible()
    staff.look("files")
    staff.press("Publish version 2 (no agent gets it yet)")
    staff.look("files-refused")
    assert "An import leaves out a/.env: it may hold secrets." in staff.text()
    staff.page.fill(".staff-file:last-child [name$=path]", "a/notes.md")
    staff.press("Save: a changed text becomes version 2 (no agent gets it yet)")
    assert "Published version 2 of tea-tables: no agent gets it yet." in staff.text()
    brewing = staff.api("skills/tea-tables/files/scripts/brew.py")
    assert brewing.body == b"print('mate')"
    assert staff.api("skills/tea-tables/files/a/notes.md").status == 200
