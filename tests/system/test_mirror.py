"""A mirror that follows the feed of changes while staff edit, import and withdraw."""

import random
import threading
import time
from collections import defaultdict
from contextlib import contextmanager, suppress

import pytest
from django.db import connection, transaction

from catalogue.exceptions import SkillNotFound
from catalogue.models import Persona, Skill, content_digest
from installs.models import SkillInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory
from tests.imports import import_skills
from tests.system.scale import scale

SECONDS = scale(short=2, long=60)
EDITORS = 4
SLUGS = [f"entry-{number}" for number in range(30)]
IMPORTED = [f"imported-{number}" for number in range(20)]
KINDS = {"skill": Skill, "persona": Persona}


class Mirror:
    """A client that follows `next` from the start."""

    def __init__(self, server):
        self.server, self.polls, self.changes = server, 0, 0
        self.newest = {}  # entry -> its number and digest; None if it is withdrawn
        self.texts = defaultdict(dict)  # entry -> its texts by number
        self.path = "/api/v1/changes?limit=7"

    def poll(self):
        """Whether there was anything new."""
        response = self.server.request("GET", self.path)
        assert response.status == 200, response
        page = response.json()
        for row in page["results"]:
            entry = row["kind"], row["slug"]
            self.newest[entry] = row["number"] and (row["number"], row["digest"])
            self.copy(entry, row["number"] or 0)
            if row["number"] in self.texts[entry]:
                assert content_digest(self.texts[entry][row["number"]]) == row["digest"]
        self.path = page["next"].partition(str(self.server.port))[2]
        self.polls += 1
        self.changes += len(page["results"])
        return page["results"] != []

    def copy(self, entry, newest):
        """Read every missing text up to a number."""
        for number in range(1, newest + 1):
            if number not in self.texts[entry]:
                text = self.read(*entry, number)
                if text is None:
                    return
                self.texts[entry][number] = text

    def read(self, kind, slug, number):
        """The bytes of a version; None if it was withdrawn meanwhile, as the feed will say."""
        file = "/SKILL.md" if kind == "skill" else ""
        path = f"/api/v1/{kind}s/{slug}/versions/{number}{file}"
        response = self.server.request("GET", path)
        if response.status == 404:
            assert response.json() == {"error": f"{kind.capitalize()} not found"}
            return None
        assert response.status == 200, response
        if kind == "skill":
            return response.body
        persona = response.json()
        return ((persona["frontmatter"] or "") + persona["content"]).encode()

    def catch_up(self):
        """Follow the feed to its end; returns the newest of all entries, and their texts."""
        while self.poll():
            pass
        newest = {entry: newest for entry, newest in self.newest.items() if newest is not None}
        return newest, {entry: self.texts[entry] for entry in newest}


@pytest.fixture
def server(live_server_of):
    return live_server_of(WEB_CONCURRENCY="2")


@pytest.mark.contract("20.8")
@pytest.mark.slow
def test_it_equals_the_catalogue_afterwards(server, tmp_path):
    for slug in SLUGS:
        skill = SkillFactory(slug=slug)
        PersonaFactory(slug=slug, skills=[skill])
    first, late, failures = Mirror(server), Mirror(server), []
    deadline = time.monotonic() + SECONDS
    writers = [lambda n=n: edit(random.Random(n)) for n in range(EDITORS)]
    writers += [lambda: import_again(tmp_path), install]
    with running(writers, deadline, failures):
        while time.monotonic() < deadline:
            first.poll()
            if time.monotonic() > deadline - SECONDS / 2:
                late.poll()

    catalogue = {(kind, slug): newest for kind in KINDS for slug, newest in listed(server, kind)}
    texts = {entry: texts_of(*entry) for entry in catalogue}
    assert failures == []
    for mirror in (first, late, Mirror(server)):
        copied, copied_texts = mirror.catch_up()
        assert copied == catalogue
        assert copied_texts == texts
    print(  # noqa: T201
        f"\nmirror: {first.changes} changes in {first.polls} polls in {SECONDS} s, "
        f"{len(catalogue)} entries, {sum(map(len, texts.values()))} texts, 0 differences"
    )
    assert first.changes > 2 * len(SLUGS)  # more than the initial ones


@contextmanager
def running(writers, deadline, failures):
    def run(write):
        try:
            while time.monotonic() < deadline:
                write()
        except Exception as error:  # noqa: BLE001 - the test says which
            failures.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[write]) for write in writers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()


def edit(chance):
    """One transaction of staff, who take their time before they commit."""
    kind = chance.choice(list(KINDS))
    entries = KINDS[kind].objects.select_for_update(no_key=True)
    with transaction.atomic():
        entry = entries.filter(slug__in=SLUGS).order_by("?").first()
        CHANGES[chance.choice(list(CHANGES))](entry, chance)
        time.sleep(chance.random() / 20)


def write(entry, chance):
    entry.title = entry.content = f"Text {chance.random()}"
    if isinstance(entry, Persona):
        entry.frontmatter = chance.choice(["", "---\ntools: Read\n---\n\n"])
    entry.save()


def bundle(entry, chance):
    """One of the two."""
    others = entry.skills if isinstance(entry, Persona) else entry.personas
    others.set(others.model.objects.filter(slug=chance.choice(SLUGS)))


CHANGES = {
    "write": write,
    "publish": lambda entry, _: entry.publish(),
    "publish again": lambda entry, _: entry.publish(),
    "redraft": lambda entry, _: entry.redraft(),
    "withdraw": lambda entry, _: entry.recall("It leaks."),
    "deprecate": lambda entry, _: entry.deprecate("Old."),
    "bundle": bundle,
}


def import_again(folder):
    for slug in IMPORTED:
        skill = folder / slug
        skill.mkdir(exist_ok=True)
        text = f"---\nname: {slug}\ndescription: Does it.\n---\n{random.random()}"
        (skill / "SKILL.md").write_text(text)
    assert import_skills(folder).status == 0


def install():
    agent = AgentFactory()
    for slug in random.sample(SLUGS, 5):
        with suppress(SkillNotFound):
            SkillInstall.objects.install(agent, slug)


def listed(server, kind):
    """The slugs of all published entries, each with number and digest, as the lists show them."""
    path = f"/api/v1/{kind}s?limit=100"
    while path:
        page = server.request("GET", path).json()
        yield from ((row["slug"], (row["number"], row["digest"])) for row in page["results"])
        path = (page["next"] or "").partition(str(server.port))[2]


def texts_of(kind, slug):
    """The bytes of each version of an entry in the database, by number."""
    versions = KINDS[kind].objects.get(slug=slug).versions.all()
    return {version.number: version.file_text.encode() for version in versions}
