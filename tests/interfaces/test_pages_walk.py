"""The pages for people in a real browser: desktop and phone, light and dark."""

import pytest

from tests.chromium import SIZES, Visitor, needs_chromium, visit
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

pytestmark = [pytest.mark.external, needs_chromium]

CONTENT = """# Tables

Use **pdfplumber**, and look at `a_very_long_name_without_any_space_that_goes_on_and_on_and_on`.

| What you see | Route | And then |
|---|---|---|
| Text, ruled lines between the cells | `lines` | look again |

```python
rows = [clean(cell) for page in pdf.pages for table in page.extract_tables() for cell in table]
```
"""


@pytest.fixture
def catalogue(transactional_db):
    skill = SkillFactory(
        slug="pdf-tables", title="PDF tables", content=CONTENT, tags=["pdf", "t" * 60]
    )
    SkillFactory(slug="letters", title="L" * 100, description="w" * 300)
    persona = PersonaFactory(slug="archivist", title="Archivist", skills=[skill], content=CONTENT)
    for number in range(11):
        review(AgentFactory(), persona, 5, "w" * 300 if number else "Tidy.\nIt asks first.")
    PersonaFactory(slug="bookkeeper", title="Bookkeeper", price_cents=1200)


@pytest.fixture
def visitor(request, live_server_of, catalogue, tmp_path, monkeypatch):
    # Playwright keeps a loop running, beside which Django would refuse to ask the database.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    size, scheme = getattr(request, "param", ("desktop", "light"))
    with visit(Visitor, live_server_of(), tmp_path, size, color_scheme=scheme) as visitor:
        yield visitor


def assert_fits(visitor, name):
    """Nothing makes the page wider than its screen, and what is written can be read."""
    visitor.picture(name)
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert visitor.page.evaluate(CONTRAST) == [], name


# The texts of a page whose colour is too near to what lies behind them (WCAG: 4.5).
CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const paint = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255)
      .map((part) => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (element) => {
    const colours = [];
    for (let at = element; at; at = at.parentElement)
      colours.unshift(getComputedStyle(at).backgroundColor);
    return colours;
  };
  const told = [];
  for (const element of document.querySelectorAll("body *:not([aria-hidden])")) {
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!says || !element.checkVisibility({opacityProperty: true})) continue;
    const back = behind(element);
    const one = light(paint([...back, getComputedStyle(element).color]));
    const other = light(paint(back));
    const contrast = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
    if (contrast < 4.5) told.push([element.textContent.trim().slice(0, 40), contrast]);
  }
  return told;
}"""


SCREENS = [(size, scheme) for size in SIZES for scheme in ("light", "dark")]


@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_a_person_looks_around(visitor):
    page = visitor.page
    visitor.open("/")
    assert_fits(visitor, "start")

    page.fill("#q", "pfd table")
    visitor.press("Search")
    assert "1 skill for “pfd table”" in visitor.text()
    assert_fits(visitor, "search")

    visitor.press("PDF tables")
    assert page.url.endswith("/skills/pdf-tables")
    assert page.inner_text("h1") == "PDF tables"
    assert page.inner_text(".prose strong") == "pdfplumber"
    assert_fits(visitor, "skill")
    page.click("summary:has-text('Over MCP')")
    assert page.locator("details[open]").count() == 1
    assert "install_skill" in visitor.text()

    visitor.press("Archivist")
    assert "5 of 5, from 11 reviews" in visitor.text()
    assert_fits(visitor, "persona")
    visitor.press("Older")
    assert page.inner_text("h1") == "Archivist"
    assert "Tidy.\nIt asks first." in visitor.text()
    assert_fits(visitor, "older reviews")

    visitor.press("Personas", within="nav")
    page.check("text=Free ones only")
    visitor.press("Search")
    assert "free=true" in page.url
    assert page.locator(".card").count() == 1
    assert_fits(visitor, "personas")

    visitor.open("/personas/bookkeeper")
    assert "This persona costs 1200 cents" in visitor.text()
    assert_fits(visitor, "priced")
    visitor.open(f"/claim/{AgentFactory(handle='crawler').claim.secret}")
    assert_fits(visitor, "claim")
    assert visitor.errors == []


def test_a_command_is_copied(visitor):
    visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor.open("/skills/pdf-tables")

    visitor.page.hover("aside pre")
    visitor.page.click("aside .copy >> visible=true")

    copied = visitor.page.evaluate("navigator.clipboard.readText()")
    assert copied == f"npx skills add {visitor.url}/skills/pdf-tables"
    assert visitor.errors == []


def test_the_keyboard_leads_to_the_content_first(visitor):
    visitor.open("/")

    visitor.page.keyboard.press("Tab")
    assert visitor.page.inner_text(":focus") == "Skip to the content"
    visitor.page.keyboard.press("Enter")

    assert visitor.page.url.endswith("#main")
