"""Two hosts serve the same commits while entries change, and a model says what they hold."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SkillInstallFactory
from tests.interfaces.git.conftest import Git, address
from tests.system.scale import scale

STEPS = scale(short=12, long=200)
SKILLS, PERSONAS = 4, 2


class Hosts:
    """Servers of two hosts, with two processes each, and the same repositories on both."""

    def __init__(self, servers, git, agent):
        self.servers, self.git, self.agent = servers, git, agent
        self.names = ["catalogue", "me"]
        self.names += [f"skills/skill-{number}" for number in range(SKILLS)]
        self.names += [f"personas/persona-{number}" for number in range(PERSONAS)]
        self.trees = {}  # of the plugins' folders, by repository, name and version
        self.seen = {name: set() for name in self.names}  # the commits that were served

    def refs(self, server, name):
        """What `git ls-remote` prints; "" if the repository does not exist."""
        token = self.agent.token if name == "me" else None
        done = self.git.attempt("ls-remote", address(server, name, token))
        assert done.returncode == 0 or "not found" in done.stderr, done.stderr
        if done.stdout:
            self.seen[name].add(done.stdout.split()[0])
        return done.stdout

    def all_refs(self):
        """The refs of each repository on each host, all read at once."""
        pairs = [(server, name) for name in self.names for server in self.servers]
        with ThreadPoolExecutor() as pool:
            refs = list(pool.map(lambda pair: self.refs(*pair), pairs))
        return dict(zip(self.names, zip(refs[::2], refs[1::2], strict=True), strict=True))

    def fetch(self, server, name):
        """Fetch into one clone of the repository, whichever host has made its commits."""
        clone = name.replace("/", "-")
        if not (self.git.folder / clone).exists():
            self.git("init", "--quiet", "--bare", clone)
        token = self.agent.token if name == "me" else None
        # Without a `+`, so that it fails unless the commits are a continuation.
        self.git("fetch", "--quiet", address(server, name, token), "main:main", within=clone)
        return clone

    def plugins(self, clone):
        """The number of each plugin but `everything`. No version has had other files before."""
        text = self.git("show", "main:.claude-plugin/marketplace.json", within=clone)
        versions = {plugin["name"]: plugin["version"] for plugin in json.loads(text)["plugins"]}
        for line in self.git("ls-tree", "main:plugins", within=clone).splitlines():
            tree, name = line.split()[2:]
            assert self.trees.setdefault((clone, name, versions[name]), tree) == tree
        versions.pop("everything", None)
        return {name: int(version.split(".")[0]) for name, version in versions.items()}


@pytest.fixture
def hosts(own_server_of, tmp_path):
    agent = AgentFactory()
    limits = {"RATE_LIMIT_CLONE": "1000000/h", "WEB_CONCURRENCY": "2"}
    servers = [
        own_server_of(**limits, TZ="Asia/Tokyo", PYTHONHASHSEED="1"),
        own_server_of(**limits, TZ="America/Lima", PYTHONHASHSEED="2"),
    ]
    return Hosts(servers, Git(tmp_path), agent)


class RandomEditor:
    """Changes entries at random, and knows which plugins there are then, with their numbers."""

    def __init__(self, entries):
        self.entries, self.chance = entries, random.Random(7)
        self.texts = dict.fromkeys(entries, 1)
        self.numbers = dict.fromkeys(entries, 1)

    def change(self):
        entry = self.chance.choice(self.entries)
        if not entry.is_published:
            entry.publish()
        elif self.chance.random() < 0.2:
            entry.withdraw()
        elif self.chance.random() < 0.3:
            entry.recall("It leaks.")
        else:
            self.numbers[entry] += 1
            entry.content = f"# Text {self.numbers[entry]}\n"
            entry.save(update_fields=["content", "updated_at"])

    def plugins(self, entries):
        shown = [entry for entry in entries if entry.is_published or entry.is_recalled]
        return {entry.slug: self.numbers[entry] for entry in shown}


@pytest.mark.slow
def test_two_hosts_serve_the_same_commits_while_entries_change(hosts):
    skills = [SkillFactory(slug=f"skill-{number}") for number in range(SKILLS)]
    personas = [PersonaFactory(slug=f"persona-{number}") for number in range(PERSONAS)]
    for skill in skills[:2]:
        SkillInstallFactory(agent=hosts.agent, skill=skill)
    staff, has_changed = RandomEditor(skills + personas), Event()

    def keep_reading():
        while not has_changed.is_set():
            hosts.refs(random.choice(hosts.servers), random.choice(hosts.names))

    with ThreadPoolExecutor() as pool:
        for step in range(STEPS):
            has_changed.clear()
            readers = [pool.submit(keep_reading) for _ in range(2)]
            try:
                for _ in range(staff.chance.randint(1, 3)):
                    staff.change()
            finally:
                has_changed.set()
            # One that read between two changes may still be making a commit of what it read.
            for reader in readers:
                reader.result()
            refs = hosts.all_refs()
            assert all(first == second for first, second in refs.values()), refs
            clone = hosts.fetch(hosts.servers[step % 2], "catalogue")
            assert hosts.plugins(clone) == staff.plugins(skills + personas)
            clone = hosts.fetch(hosts.servers[step % 2], "me")
            assert hosts.plugins(clone) == staff.plugins(skills[:2])

    for name, (refs, _) in hosts.all_refs().items():
        if refs:
            clone = hosts.fetch(hosts.servers[0], name)
            commits = hosts.git("log", "--format=%H", "main", within=clone).split()
            assert hosts.seen[name] <= {*commits}
            assert "missing" not in hosts.git("fsck", "--strict", within=clone)
