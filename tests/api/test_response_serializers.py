"""How declared fields become a response, for several kinds of rows."""

from types import SimpleNamespace
from typing import NamedTuple

import orjson
import pytest
from django.test import RequestFactory

from marketplace.api.fields import (
    BooleanField,
    CountField,
    ListField,
    MessageField,
    RatingField,
    TextField,
    UrlField,
)
from marketplace.api.serializers import ResponseSerializer
from tests.factories import SkillFactory


class Shelf(ResponseSerializer):
    name = TextField(initial="A")
    row = CountField(source="place.row")


class Upper(TextField):
    def to_representation(self, value):
        return value.upper()


class Book(ResponseSerializer):
    title = Upper(initial="MOBY")
    shelf = Shelf(allow_null=True)
    pages = CountField()


class IsOwn(BooleanField):
    needs_context = True

    def represent(self, row, context):
        return row.owner == context["request"].user


class ShelfLink(ResponseSerializer):
    address = UrlField(source="path")


class Linked(ResponseSerializer):
    own = IsOwn(source="*")
    links = ShelfLink(many=True)


def request_of(user, host="testserver"):
    request = RequestFactory().get("/", headers={"Host": host})
    request.user = user
    return request


@pytest.fixture
def book():
    shelf = SimpleNamespace(name="A", place=SimpleNamespace(row=3))
    return SimpleNamespace(pages=9, shelf=shelf, title="Moby")


def test_fields_come_in_the_order_of_their_declaration(book):
    assert orjson.dumps(Book(book).data) == (
        b'{"title":"MOBY","shelf":{"name":"A","row":3},"pages":9}'
    )


def test_one_field_is_enough():
    class One(ResponseSerializer):
        pages = CountField()

    assert One(SimpleNamespace(pages=9)).data == {"pages": 9}


def test_null_is_neither_nested_nor_converted(book):
    book.shelf = book.title = None

    assert Book(book).data == {"title": None, "shelf": None, "pages": 9}


def test_many_rows_are_a_list(book):
    assert Book([book, book], many=True).data == [Book(book).data] * 2
    assert Book([], many=True).data == []


def test_a_nested_serializer_may_have_many_rows(book):
    class Library(ResponseSerializer):
        books = Book(many=True, source="owned")

    assert Library(SimpleNamespace(owned=[book])).data == {"books": [Book(book).data]}


def test_a_source_is_a_path_of_attributes_or_the_row_itself(book):
    class Card(ResponseSerializer):
        place = CountField(source="shelf.place.row")
        book = Book(source="*")

    assert Card(book).data == {"place": 3, "book": Book(book).data}
    assert list(Card(book).data) == ["place", "book"]


def test_the_row_itself_may_be_the_value():
    class Name(ResponseSerializer):
        name = TextField(source="*")

    assert Name("Ada").data == {"name": "Ada"}


def test_a_row_may_be_a_named_tuple():
    class BookRow(NamedTuple):
        pages: int
        title: str
        shelf: object = None

    assert Book(BookRow(9, "Moby")).data == {"title": "MOBY", "shelf": None, "pages": 9}


@pytest.mark.parametrize("more", [{}, {"secret": 1}])
def test_a_row_may_be_a_dict(more):
    row = {**more, "pages": 9, "title": "Moby", "shelf": None}

    data = Book(row).data

    assert list(data.items()) == [("title", "MOBY"), ("shelf", None), ("pages", 9)]


@pytest.mark.django_db
def test_a_row_may_be_an_instance_of_a_model():
    class Short(ResponseSerializer):
        slug = TextField()
        downloads = CountField()

    assert Short(SkillFactory(slug="pdf")).data == {"slug": "pdf", "downloads": 0}


def test_a_field_declared_anew_keeps_its_place():
    class Other(Book):
        author = TextField(initial="Melville")
        title = TextField(initial="Typee")

    row = {"title": "Typee", "shelf": None, "pages": 1, "author": "M"}

    assert list(Other(row).data.items()) == [
        ("title", "Typee"),
        ("shelf", None),
        ("pages", 1),
        ("author", "M"),
    ]
    assert Book(row).data["title"] == "TYPEE"


def test_bases_come_in_their_order():
    class Rated(ResponseSerializer):
        rating = RatingField(initial=4)

    class RatedBook(Rated, Book):
        pages = CountField()

    assert list(RatedBook().get_initial()) == ["rating", "title", "shelf", "pages"]


def test_the_context_is_that_of_the_whole_response():
    row = SimpleNamespace(owner="ada", links=[SimpleNamespace(path="/a"), {"path": "/b"}])

    data = Linked(row, context={"request": request_of("ada")}).data

    assert data == {
        "own": True,
        "links": [{"address": "http://testserver/a"}, {"address": "http://testserver/b"}],
    }


def test_a_context_reaches_no_other_response():
    row = SimpleNamespace(owner="ada", links=[SimpleNamespace(path="/a")])
    first = Linked(row, context={"request": request_of("ada")})
    second = Linked([row], many=True, context={"request": request_of("bob", "testserver:81")})

    assert first.data["links"] == [{"address": "http://testserver/a"}]
    assert second.data == [{"own": False, "links": [{"address": "http://testserver:81/a"}]}]
    assert first.to_representation(row)["own"] is True


def test_no_response_copies_the_fields_of_its_class(book, monkeypatch):
    monkeypatch.setattr(Book, "fields", property(lambda _: pytest.fail("fields are copied")))

    assert Book([book], many=True).data[0]["pages"] == 9


def test_a_message_says_whether_the_row_is_new():
    class Notice(ResponseSerializer):
        message = MessageField("Written", again="Written again")

    rows = [SimpleNamespace(is_new=True), SimpleNamespace(is_new=False)]

    assert [row["message"] for row in Notice(rows, many=True).data] == ["Written", "Written again"]


def test_an_example_is_made_of_those_of_the_fields():
    class Branch(ResponseSerializer):
        books = Book(many=True)
        tags = ListField(TextField(initial="sea"))

    assert Branch().get_initial() == {
        "books": [{"title": "MOBY", "shelf": {"name": "A", "row": 2}, "pages": 2}],
        "tags": ["sea"],
    }
