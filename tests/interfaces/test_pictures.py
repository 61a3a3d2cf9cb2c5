"""The emblem of an entry, and the picture of it that others show beside a link."""

from io import BytesIO

import pytest
from PIL import Image

from interfaces.website.emblems import COLOURS, SHAPES, Emblem, emblem_of
from interfaces.website.pictures import Face, draw, drawable
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import text_of


def test_an_emblem_is_the_same_everywhere_and_another_for_each():
    drawn = [emblem_of(f"skill-{number}", "data") for number in range(200)]

    assert drawn[0].path(pale=False) == (
        "M0 0h1v1a1 1 0 0 1-1-1zM1 0a1 1 0 0 1 1 1h-1zM0 1a1 1 0 0 1 1 1h-1zM1 1m.15.15h.7v.7h-.7z"
    )
    assert len({(emblem.path(pale=True), emblem.path(pale=False)) for emblem in drawn}) > 190
    assert len({emblem.colour for emblem in drawn}) == 1
    assert {emblem_of("x", f"category {n}").colour for n in range(99)} == {*COLOURS}


def test_a_card_and_a_page_have_it(person, catalogue):
    emblem = f'd="{emblem_of("pdf-tables", "data").path(pale=False)}"'

    assert emblem in text_of(person.get("/skills"))
    assert emblem in text_of(person.get("/skills/pdf-tables"))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"title": "档案员", "description": "整理", "author": "作者"},
        {"title": "W" * 200, "description": "w" * 3000, "author": "m" * 200},
        {"title": "many words " * 18, "description": "", "category": "", "author": ""},
    ],
)
@pytest.mark.parametrize(
    ("factory", "kind"), [(SkillFactory, "skills"), (PersonaFactory, "personas")]
)
def test_an_entry_has_a_picture_of_1200_by_630(person, db, factory, kind, values):
    factory(slug="shown", **values)

    answer = person.get(f"/{kind}/shown/picture.png")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["Cache-Control"] == "public, no-cache"
    picture = Image.open(BytesIO(answer.content))
    assert picture.size == (1200, 630)
    assert len(answer.content) < 60_000
    # The right margin is empty: no text goes beyond it.
    margin = picture.convert("RGB").crop((1125, 0, 1200, 600))
    assert len(margin.getcolors()) == 1
    again = person.get(f"/{kind}/shown/picture.png", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304


def test_a_page_names_its_picture(person, catalogue):
    text = text_of(person.get("/skills/pdf-tables"))

    url = "http://testserver/skills/pdf-tables/picture.png"
    assert f'<meta property="og:image" content="{url}">' in text
    assert '<meta name="twitter:card" content="summary_large_image">' in text


def test_what_is_not_published_has_no_picture(person, db):
    SkillFactory(slug="draft", status="draft")

    for slug in ("draft", "unknown", "%00"):
        assert person.get(f"/skills/{slug}/picture.png").status_code == 404


@pytest.mark.parametrize(
    ("title", "drawn"),
    [
        ("Caf\u00e9 \u00fcber", "Cafe uber"),
        ("Agents\u2019 \u201ctools\u201d \u2013 fast", 'Agents\' "tools" - fast'),
        ("\u6863\u6848", ""),
        ("two\n lines", "two lines"),
    ],
)
def test_a_picture_writes_in_the_letters_that_its_font_has(title, drawn):
    assert drawable(title) == drawn
    face = Face("skill", "the-slug", title, "", "", "")
    assert draw(face) == draw(face._replace(title=drawn or "the-slug"))


# Where each shape is white, of the corners and the middle of its square.
WHITE = {
    0: {"upper left", "upper right", "lower left", "middle"},
    1: {"upper left", "upper right", "lower right", "middle"},
    2: {"upper right", "lower left", "lower right", "middle"},
    3: {"upper left", "lower left", "lower right", "middle"},
    4: {"middle"},
    5: {"middle"},
    6: {"middle"},
    7: {"upper left", "lower left"},
}
PLACES = {
    "upper left": (5, 5),
    "upper right": (95, 5),
    "lower left": (5, 95),
    "lower right": (95, 95),
    "middle": (55, 45),
}


@pytest.mark.parametrize("shape", WHITE)
def test_the_drawn_shapes_stand_where_those_of_the_page_do(shape):
    drawn = Emblem("#000000", [(0, 0, SHAPES[shape], False), (1, 1, SHAPES[4], True)]).draw(260)

    # A unit is a hundred pixels, within an edge of thirty.
    white = {name for name, (x, y) in PLACES.items() if drawn.getpixel((30 + x, 30 + y))[0] > 200}
    assert white == WHITE[shape]
    assert 100 < drawn.getpixel((180, 180))[0] < 160  # pale
