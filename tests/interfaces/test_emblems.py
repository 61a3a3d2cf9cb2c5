"""The emblem of an entry, and the picture that others show beside a link."""

from interfaces.website.emblems import COLOURS, emblem_of
from tests.interfaces.pages import text_of


def test_an_emblem_is_the_same_everywhere_and_another_for_each():
    drawn = [emblem_of(f"skill-{number}", "data") for number in range(200)]

    _, white, _ = drawn[0]
    assert white == (
        "M0 0h1v1a1 1 0 0 1-1-1zM1 0a1 1 0 0 1 1 1h-1zM0 1a1 1 0 0 1 1 1h-1zM1 1m.15.15h.7v.7h-.7z"
    )
    assert len({tuple(paths) for _, *paths in drawn}) > 190
    assert len({colour for colour, *_ in drawn}) == 1
    assert {emblem_of("x", f"category {n}")[0] for n in range(99)} == {*COLOURS}


def test_a_card_and_a_page_have_it(person, catalogue):
    _, white, _ = emblem_of("pdf-tables", "data")
    emblem = f'd="{white}"'

    assert emblem in text_of(person.get("/skills"))
    assert emblem in text_of(person.get("/skills/pdf-tables"))


def test_every_page_names_one_picture_for_links(person, catalogue):
    for path in ("/", "/skills", "/skills/pdf-tables", "/personas/archivist"):
        text = text_of(person.get(path))

        url = "http://testserver/static/card.png"
        assert f'<meta property="og:image" content="{url}">' in text
        assert '<meta name="twitter:card" content="summary_large_image">' in text


def test_the_picture_is_a_file_of_1200_by_630(person):
    response = person.get("/static/card.png")

    content = b"".join(response)
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert (content[16:20], content[20:24]) == ((1200).to_bytes(4), (630).to_bytes(4))
    assert len(content) < 20_000


def test_nothing_is_drawn_for_an_entry(person, catalogue):
    for path in ("/skills/pdf-tables/picture.png", "/personas/archivist/picture.png"):
        assert person.get(path).status_code == 404
