"""Reading the feed of changes, for tests."""

URL = "/api/v1/changes"


def feed(anyone, query=""):
    response = anyone.get(f"{URL}{query}")
    assert response.status_code == 200, response.content
    return response.json()


def changes(anyone, query=""):
    return [(row["slug"], row["change"]) for row in feed(anyone, query)["results"]]


def cursor(anyone, query=""):
    return feed(anyone, query)["cursor"]


def since(anyone, cursor):
    return changes(anyone, f"?since={cursor}")
