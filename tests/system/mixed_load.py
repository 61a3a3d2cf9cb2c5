"""A mixed load: agents, operators, staff, hostile requests and clients that disconnect."""

import random
import socket
import struct
import threading
import time
from collections import Counter, deque
from http.client import HTTPConnection, HTTPException, InvalidURL

from tests.api import hostile_bodies, hostile_fields, hostile_urls
from tests.deployment import protocol_cases
from tests.registry import OPERATION, PROTECTED, PUBLIC
from tests.system.staff import Browser
from tests.system.workers import Workers

HOSTILE = [
    case
    for table in (
        *(hostile_bodies.BODIES, hostile_bodies.CONTENT_TYPES, hostile_bodies.SIZES),
        *(hostile_fields.FIELDS, hostile_fields.UNKNOWN_SLUGS),
        *(hostile_urls.PATHS, hostile_urls.QUERIES, hostile_urls.UNAUTHENTICATED),
        hostile_urls.NOT_ALLOWED,
    )
    for _, cases in table
    for case in cases
]
RAW = [
    request
    for table in (protocol_cases.UNREADABLE, protocol_cases.REFUSED, protocol_cases.SMUGGLED)
    for _, request in table.values()
]
SEARCHES = ["q=skill", "q=persona+review&limit=5", "sort=newest", "sort=name&limit=99", "tag=a"]
# Besides the members of an example, if the operation has them.
MEMBERS = {"setActive": True, "scopes": ["read"], "expiresInDays": 1, "comment": "x" * 900}
CUT_OFF = (
    b'POST /api/v1/agents/register HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"'
)
RESET = struct.pack("ii", 1, 0)  # close with a reset, like a client that crashes


SKILLS, PERSONAS = OPERATION["list_skills"].path, OPERATION["list_personas"].path
# Rotating would end the token of the other requests.
LASTING = [operation for operation in PROTECTED if operation.name != "rotate_token"]
READS = [operation for operation in PUBLIC if operation.method == "GET"]


class MixedLoad(Workers):
    """As a context manager: `size` clients send requests; `drain` pauses them."""

    def __init__(self, server, staff, *, size, pause, skills, personas):
        super().__init__(size)
        self.server, self.staff, self.pause = server, staff, pause
        self.skills, self.personas = skills, personas
        self.agents = deque(maxlen=200)  # (token, path of the claim page)
        self.statuses, self.failures = Counter(), []
        self.running = threading.Event()
        self.in_flight, self.lock = 0, threading.Lock()
        self.actions = [
            *([self.attack] * 8),
            *([self.act] * 8),
            *([self.browse] * 4),
            *(self.register, self.rotate, self.claim, self.open_admin, self.send_malformed),
            *(self.disconnect, self.keep_alive),
        ]
        self.not_run_yet = list(dict.fromkeys(self.actions))  # so that a short run includes all

    def __enter__(self):
        self.register()
        self.running.set()
        return super().__enter__()

    def __exit__(self, *error):
        self.running.set()
        super().__exit__(*error)

    def work(self):
        while not self.stopped.is_set():
            self.running.wait()
            with self.lock:
                self.in_flight += 1
            try:
                self.choose()()
            finally:
                with self.lock:
                    self.in_flight -= 1
            time.sleep(self.pause)

    def choose(self):
        try:
            return self.not_run_yet.pop()
        except IndexError:
            return random.choice(self.actions)

    def drain(self):
        """Return when no request is in flight; none is sent before `resume()`."""
        self.running.clear()
        while self.in_flight:
            time.sleep(0.05)
        time.sleep(1)

    def resume(self):
        self.running.set()

    def send(self, method, path, body=None, **options):
        try:
            response = self.server.request(method, path, body, **options)
        except (ConnectionError, HTTPException) as error:
            # A server that refuses a body need not read all of it.
            self.note(type(error).__name__, (method, path, str(body)[:100]))
            return None
        self.note(response.status, (method, path, str(body)[:100], response.body[:200]))
        return response

    def note(self, status, request):
        with self.lock:
            self.statuses[status] += 1
            if isinstance(status, int) and status >= 500:
                self.failures.append((status, *request))

    def register(self):
        response = self.send("POST", OPERATION["register_agent"].path, {"name": "One of Many"})
        agent = response.json()
        path = "/claim/" + agent["claim"]["claimUrl"].rpartition("/")[2]
        self.agents.append((agent["token"], path))

    def act(self):
        token, _ = random.choice(self.agents)
        operation = random.choice(LASTING)
        self.send(operation.method, self.path_to(operation), self.body_for(operation), token=token)

    def path_to(self, operation):
        """The path of something random."""
        slugs = self.personas if "personas" in operation.route else self.skills
        return operation.route.format(
            slug=random.choice(slugs),
            personaSlug=random.choice(self.personas),
            number=1,
            path="SKILL.md",
            tokenId="token_unknown",
            submissionId="submission_unknown",
        )

    def body_for(self, operation):
        if not operation.has_body:
            return None
        values = {
            "slug": random.choice(self.skills if "skill" in operation.name else self.personas),
            "personaSlug": random.choice(self.personas),
            "description": "x" * random.randrange(500),
            **MEMBERS,
        }
        fields = operation.schema["properties"]
        return operation.body | {name: value for name, value in values.items() if name in fields}

    def rotate(self):
        token, path = random.choice(self.agents)
        response = self.send(
            "POST", OPERATION["rotate_token"].path, {"graceSeconds": 1}, token=token
        )
        if response.status == 201:
            self.agents.append((response.json()["token"], path))

    def browse(self):
        search = random.choice(SEARCHES)
        self.send("GET", f"{random.choice([SKILLS, PERSONAS])}?{search}")
        for operation in random.sample(READS, 4):
            query = operation.url.partition("?")[2] if operation.required_parameters else ""
            self.send("GET", self.path_to(operation) + (query and f"?{query}"))

    def attack(self):
        token, _ = random.choice(self.agents)
        case = random.choice(HOSTILE)
        headers = {name: value.replace("TOKEN", token) for name, value in case.headers}
        headers |= {"Content-Type": case.content_type} if case.content_type else {}
        path = case.path.replace("TOKEN", token)
        try:
            self.send(case.method, path, case.body or None, headers=headers)
        except (ValueError, InvalidURL):  # Python's client refuses to send it
            self.note("unsendable", ())

    def send_malformed(self):
        raw = self.server.raw(random.choice(RAW))
        self.note(int(raw.split()[1]), (raw[:300],))

    def claim(self):
        _, path = random.choice(self.agents)
        page = Browser(self.server).submit(path, name="Ada", email=random.choice(["", "a@b.cd"]))
        self.note(page.status, (path,))

    def open_admin(self):
        path = random.choice(
            [
                *("/admin/", "/admin/agents/agent/", "/admin/agents/agenttoken/?q=mkt"),
                *("/admin/catalogue/skill/?q=skill", "/admin/catalogue/persona/add/"),
                *(
                    "/admin/reviews/review/",
                    "/admin/reports/case/",
                    "/admin/nowhere/",
                    "/admin/agents/agent/?e=1",
                ),
            ]
        )
        page = self.staff.get(path)
        self.note(page.status, (path,))

    def disconnect(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as link:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            link.sendall(random.choice([CUT_OFF, CUT_OFF[:9], b"GET /api/v1/skills HTTP/1.1\r\n"]))
            time.sleep(random.choice([0, 0.05]))
        self.note("disconnected", ())

    def keep_alive(self):
        link = HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        for _ in range(10):
            link.request("GET", f"{SKILLS}/{random.choice(self.skills)}")
            response = link.getresponse()
            self.note(response.status, (response.read()[:200],))
        link.close()
