"""The pages for people in a real browser: desktop and phone, light and dark."""

from http.server import ThreadingHTTPServer
from threading import Thread

import pytest

from tests.chromium import SCREENS, Visitor, needs_chromium, visit
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review
from tests.interfaces.page_checks import InTwoPieces, assert_fits

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
    SkillFactory(slug="letters", title="L" * 120, description="w" * 300).mark_as_checked()
    SkillFactory(slug="words", title="Writes every letter " * 5).mark_as_checked()
    persona = PersonaFactory(slug="archivist", title="Archivist", skills=[skill], content=CONTENT)
    for number in range(11):
        review(AgentFactory(), persona, 5, "w" * 300 if number else "Tidy.\nIt asks first.")
    PersonaFactory(slug="bookkeeper", title="Bookkeeper", price_cents=1200)


@pytest.fixture
def visitor(request, live_server_of, catalogue):
    size, scheme = getattr(request, "param", ("desktop", "light"))
    with visit(Visitor, live_server_of(), size, color_scheme=scheme) as visitor:
        visitor.size = size
        yield visitor


@pytest.fixture
def assert_fits_here(visitor, serious_violations):
    def assert_fits_here(name):
        assert_fits(visitor, name, serious_violations)

    return assert_fits_here


ALL_SCREENS = [*SCREENS, ("small phone", "light"), ("tablet", "dark")]


@pytest.mark.parametrize("visitor", ALL_SCREENS, ids="-".join, indirect=True)
def test_a_person_looks_around(visitor, assert_fits_here):
    page = visitor.page
    visitor.open("/")
    page.wait_for_selector("text=reviewed Archivist")
    assert page.locator("main section").last.inner_text().startswith("Recent activity")
    assert_fits_here("start")
    page.click(".teach summary:has-text('MCP')")
    assert page.locator(".teach pre:visible").inner_text() == f"{visitor.url}/mcp"

    page.fill("#q", "pfd table")
    visitor.press("Search")
    assert "1 skill for “pfd table”" in visitor.text()
    assert_fits_here("search")

    visitor.press("PDF tables")
    assert page.url.endswith("/skills/pdf-tables")
    assert page.inner_text("h1") == "PDF tables"
    assert page.inner_text(".prose strong") == "pdfplumber"
    assert_fits_here("skill")
    page.click("summary:has-text('MCP')")
    assert page.locator("details[open]").count() == 1
    assert "install_skill" in visitor.text()

    for part in ("Versions", "Used by"):
        visitor.press(part)
        assert page.inner_text("[aria-current=page]").startswith(part)
        assert_fits_here(part)
    visitor.press("Archivist")
    assert_fits_here("persona")
    visitor.press("Reviews")
    assert "5 of 5, from 11 reviews" in visitor.text()
    assert_fits_here("reviews")
    visitor.press("Older")
    assert page.inner_text("h1") == "Archivist"
    assert "Tidy.\nIt asks first." in visitor.text()
    assert_fits_here("older reviews")

    look_for_a_persona(visitor, assert_fits_here)
    assert visitor.errors == []


def look_for_a_persona(visitor, assert_fits_here):
    page = visitor.page
    page.click(".reviews b a >> nth=0")
    assert "It has reviewed 1 persona." in visitor.text()
    assert_fits_here("agent")
    visitor.open("/skills?author=Harbour+Tools")
    assert_fits_here("author")

    visitor.open("/skills?view=list")
    page.click(".sorts summary")
    assert_fits_here("rows")

    visitor.press("Personas", within="nav")
    if page.viewport_size["width"] < 960:
        page.click("text=Filters")
        assert_fits_here("filters")
    visitor.press("Free")
    assert "free=true" in page.url
    assert page.locator(".card").count() == 1
    assert_fits_here("personas")

    for path, text in (("/this-week", "New persona"), ("/personas/bookkeeper", "costs $12.00")):
        visitor.open(path)
        assert text in visitor.text()
        assert_fits_here(path)
    visitor.open(f"/claim/{AgentFactory(handle='crawler').claim.secret}")
    assert_fits_here("claim")


def test_a_command_is_copied(visitor):
    visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visitor.open("/skills/pdf-tables")

    visitor.page.click("summary:has-text('npx')")
    visitor.page.click(".install .copy >> visible=true")

    copied = visitor.page.evaluate("navigator.clipboard.readText()")
    assert copied == f"npx skills add {visitor.url}/git/skills/pdf-tables.git"
    assert visitor.errors == []


def test_the_keyboard_leads_to_the_content_first(visitor):
    visitor.open("/")

    visitor.page.keyboard.press("Tab")
    assert visitor.page.inner_text(":focus") == "Skip to the content"
    visitor.page.keyboard.press("Enter")

    assert visitor.page.url.endswith("#main")


def test_the_search_box_suggests_while_one_types(visitor):
    page = visitor.page
    visitor.open("/skills")

    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("pd")
    page.wait_for_selector("[role=option]")
    assert page.locator("[role=option]").all_inner_texts() == ["PDF tables\nskill"]
    page.keyboard.press("Escape")
    assert page.locator("[role=option]").count() == 0
    page.keyboard.type("f")
    page.wait_for_selector("[role=option]")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#q", "aria-activedescendant") == "option-0"
    with page.expect_navigation():
        page.keyboard.press("Enter")

    assert page.url.endswith("/skills/pdf-tables")
    assert visitor.errors == []


def test_suggestions_survive_a_network_that_fails_once(visitor):
    page, uncaught = visitor.page, []
    page.on("pageerror", lambda error: uncaught.append(str(error)))
    visitor.open("/skills")
    page.route("**/suggest?*", lambda route: route.abort(), times=1)

    with page.expect_event("requestfailed"):
        page.locator("#q").press_sequentially("pd")
    page.keyboard.type("f")
    page.wait_for_selector("[role=option]")

    assert uncaught == []


def test_without_a_script_the_search_and_the_filters_work(visitor):
    context = visitor.page.context.browser.new_context(java_script_enabled=False)
    visitor = Visitor(context.new_page(), visitor.server)

    visitor.open("/skills")
    visitor.page.fill("#q", "pdf")
    visitor.press("Search")
    assert visitor.page.locator(".card").count() == 1
    visitor.press("development")
    assert "category=development" in visitor.page.url
    visitor.press("category: development")
    assert visitor.page.url.endswith("/skills?q=pdf")


def test_the_keyboard_chooses_an_order_and_an_empty_field_is_in_no_address(visitor):
    page = visitor.page
    visitor.open("/skills?category=development&view=list")

    page.focus(".sorts summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.locator(".sorts[open]").count() == 0
    page.keyboard.press("Enter")
    visitor.press("Name")
    assert page.url.endswith("/skills?category=development&view=list&sort=name")
    visitor.press("Search")
    assert page.url.endswith("/skills?category=development&sort=name&view=list")


ABOVE = """(selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.getBoundingClientRect().bottom <= innerHeight).length"""


@pytest.mark.parametrize("visitor", SCREENS, indirect=True)
def test_what_matters_is_above_the_fold(visitor):
    page = visitor.page
    SkillFactory.create_batch(12)
    is_phone = page.viewport_size["width"] < 400
    page.set_viewport_size(
        {"width": 390, "height": 844} if is_phone else {"width": 1280, "height": 800}
    )

    visitor.open("/")
    assert page.evaluate(ABOVE, ".lead, #q, .counts") == 3
    assert page.evaluate(ABOVE, "[aria-labelledby=skills] .card") >= (3 if is_phone else 5)
    assert page.evaluate("document.fonts.check('1rem \\'Inter Variable\\'')")
    visitor.open("/skills?view=list" if is_phone else "/skills?view=list&category=development")
    head = "document.querySelector('.browse > header').getBoundingClientRect()"
    assert page.evaluate(f"{head}.height") <= 140
    assert page.evaluate(ABOVE, ".rows .card") >= 12


REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, select, summary, pre")]
    .filter((element) => element.checkVisibility({visibilityProperty: true}))
    .filter((element) => element.type !== "hidden").length"""


def test_the_keyboard_reaches_everything(visitor, subtests):
    page = visitor.page
    for path in ("/", "/skills", "/skills/pdf-tables", "/personas/archivist/reviews", "/llms.txt"):
        with subtests.test(path):
            visitor.open(path)
            page.evaluate("window.reached = new Set()")
            reachable = page.evaluate(REACHABLE)

            for _ in range(2 * reachable):
                page.keyboard.press("Tab")
                page.evaluate("reached.add(document.activeElement)")

            reached = "[...reached].filter((each) => each !== document.body).length"
            assert page.evaluate(reached) >= reachable


# A page that a busy browser paints while it arrives grows line by line. Above 0.1 a shift is bad.
MAX_SHIFT = 0.02
SHIFT = """() => new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(shift), 300);
})"""


@pytest.mark.parametrize("visitor", SCREENS, indirect=True)
def test_nothing_moves_while_a_page_loads(visitor):
    for path in ("/", "/skills", "/personas", "/skills/pdf-tables", "/personas/archivist"):
        visitor.open(path)
        assert visitor.page.evaluate(SHIFT) < MAX_SHIFT, path


def test_nothing_moves_while_the_start_page_arrives(visitor):
    with ThreadingHTTPServer(("127.0.0.1", 0), InTwoPieces) as slow:
        slow.upstream = visitor.server
        Thread(target=slow.serve_forever).start()
        visitor.page.goto(f"http://127.0.0.1:{slow.server_port}/")
        shift = visitor.page.evaluate(SHIFT)
        slow.shutdown()

    assert shift < MAX_SHIFT
