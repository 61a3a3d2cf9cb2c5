"""The model of submissions: proposing a text, and what staff decide about it."""

import hashlib
from dataclasses import dataclass
from typing import Any

from tests.system.matchers import ShortRepr, Timestamp
from tests.system.model_agents import Reply, error, operation
from tests.system.model_data import MAX_PENDING, fields_of, head_of
from tests.system.model_versions import digest_of

NOT_FOUND = error(404, "Submission not found")
REFUSED = {
    "recalled": "This text was recalled. Change it, or lift the recall of its version.",
    "purged": "This text was purged and cannot come back. Change it.",
}
PURGED = "This text was purged."
NEW = {"category": "", "tags": [], "runtimes": [], "author": "", "version": ""}


@dataclass(eq=False)
class Submission(ShortRepr):
    submission_id: Any
    kind: str  # like that of an Entry
    slug: str
    agent: Any
    text: str | None  # of the file; None once it is gone
    base: dict | None
    findings: list
    note: str
    created: Any
    state: str = "pending"
    reason: str | None = None
    number: int | None = None
    decided: Any = None

    def __post_init__(self):
        self.digest = digest_of(self.text)
        line = f"{self.digest.removeprefix('sha256:')} - {self.file_name}\n"
        self.bytes_digest = f"sha256:{hashlib.sha256(line.encode()).hexdigest()}"

    def __repr__(self):
        return f"<submission of {self.slug}: {self.state}>"

    @property
    def file_name(self):
        return "SKILL.md" if self.kind == "skills" else f"{self.slug}.md"

    def sent(self):
        """As the response to it."""
        return {
            "submissionId": self.submission_id,
            "kind": self.kind.removesuffix("s"),
            "slug": self.slug,
            "state": self.state,
            "digest": self.digest,
            "bytesDigest": self.bytes_digest,
            "base": self.base,
            "findings": self.findings,
            "note": self.note,
            "createdAt": self.created,
        }

    def listed(self):
        decision = {"reason": self.reason, "number": self.number, "decidedAt": self.decided}
        return self.sent() | decision

    def detail(self):
        return self.listed() | {"content": self.text, "files": []}

    def end(self, state):
        self.state, self.text = state, None

    def decide(self, interval, state, *, reason=None, number=None):
        self.state, self.reason, self.number = state, reason, number
        self.decided = Timestamp(interval)


class SubmissionRules:
    @property
    def submissions(self):
        return [submission for agent in self.agents for submission in agent.submissions]

    @property
    def pending(self):
        return [submission for submission in self.submissions if submission.state == "pending"]

    @operation("submit", policy="submit")
    def submit(self, token, body):
        kind, slug, text = f"{body['kind']}s", body["slug"], body["content"]
        entry = self.existing(kind, slug)
        is_maintainer = entry is not None and token.agent in entry.present_maintainers
        if entry is not None and entry.maintainers and not is_maintainer:
            return error(409, f"Another author maintains this {body['kind']}")
        base = entry if entry and (entry.is_published or is_maintainer) else None
        values = values_of(kind, slug, text, base)
        if refusal := self.refusal_of_submitted(kind, base, text, values["content"]):
            return error(400, f"content: {REFUSED[refusal]}")
        if base is not None and has_values(base, values):
            return error(409, "Nothing has changed")
        submission = Submission(
            self.opaque("submission"),
            *(kind, slug, token.agent, text),
            base and {"number": len(base.versions), "digest": base.digest},
            findings=self.findings_of(kind, slug, values, base, body.get("baseNumber")),
            note=body.get("note") or "",
            created=Timestamp(self.interval),
        )
        return self.keep(submission, is_maintainer=is_maintainer)

    def existing(self, kind, slug):
        """The entry, as far as authors know that it exists: a draft is nothing to them."""
        known = (entry for entry in self.entries[kind] if entry.slug == slug)
        return next((entry for entry in known if entry.status != "draft"), None)

    def is_withdrawn(self, submission):
        entry = self.existing(submission.kind, submission.slug)
        return entry is not None and not entry.is_published

    def refusal_of_submitted(self, kind, base, text, content):
        if base is None:
            digests = {digest_of(text), digest_of(content)}
            return "purged" if any((kind, digest) in self.purges for digest in digests) else None
        is_current = base.is_published and base.digest == digest_of(text)
        return None if is_current else self.refusal(base, text, content)

    def findings_of(self, kind, slug, values, base, number):
        path = "SKILL.md" if kind == "skills" else f"{slug}.md"
        found = [(name, "none") for name in ("license", "description") if not values[name]]
        hidden = {skill.slug for skill in base.bundle if not skill.is_published} if base else ()
        found += [("unknown-skill", f"no published skill is called {s}") for s in sorted(hidden)]
        if base is not None and number != len(base.versions):
            text = f"made from version {number or 'none'}, and the newest is {len(base.versions)}"
            found.append(("outdated", text))
        return [{"code": code, "path": path, "line": None, "text": text} for code, text in found]

    def keep(self, new, *, is_maintainer):
        """Store it in place of the agent's pending one of the same entry."""
        old = next((s for s in self.pending if is_of_same(s, new)), None)
        if old is not None and old.bytes_digest == new.bytes_digest:
            old.note = new.note
            return Reply(200, {"message": f"{title(new)} submitted", **old.sent()})
        others = [submission for submission in self.pending if submission is not old]
        if len(others) >= MAX_PENDING and not is_maintainer:
            return error(409, "Too many submissions are pending")
        if old is not None:
            old.end("replaced")
        new.agent.submissions.append(new)
        if not self.is_trusted(new):
            return Reply(201, {"message": f"{title(new)} submitted", **new.sent()})
        self.publish_submission(new)
        published = {"message": f"{title(new)} published", "number": new.number}
        return Reply(201, new.sent() | published)

    def is_trusted(self, new):
        """Whether it needs no decision."""
        entry = self.existing(new.kind, new.slug)
        return (
            entry is not None
            and entry.is_published
            and entry.maintainers.get(new.agent) == "trusted"
            and entry.authors.get(len(entry.versions)) in entry.present_maintainers
            and not overrules_staff(new, entry)
            and all(found["code"] != "outdated" for found in new.findings)
        )

    @operation("read", "submit")
    def own_submissions(self, token, query):
        rows = [row.listed() for row in reversed(token.agent.submissions)]
        wanted = {name: query[name] for name in ("state", "kind") if name in query}
        return [row for row in rows if wanted.items() <= row.items()]

    @operation("read", "submit")
    def submission(self, token, submission_id):
        found = own(token.agent, submission_id)
        return NOT_FOUND if found is None else Reply(200, found.detail())

    @operation("submit", policy="manage")
    def withdraw_submission(self, token, path):
        found = own(token.agent, path["submissionId"])
        if found is None:
            return NOT_FOUND
        if found.state not in {"pending", "withdrawn"}:
            return error(409, "Submission is already decided")
        found.end("withdrawn")
        named = {"submissionId": found.submission_id}
        return Reply(200, {"message": "Submission withdrawn", **named})

    # Operations of staff. Publishing returns its outcome: "done", or why it is refused.

    def publish_submission(self, submission, *, ends_recall=False):
        kind, slug, text = submission.kind, submission.slug, submission.text
        entry = next((entry for entry in self.entries[kind] if entry.slug == slug), None)
        values = values_of(kind, slug, text, entry)
        if refusal := self.obstacle(submission, entry, values, ends_recall=ends_recall):
            return refusal
        number = 0 if entry is None else len(entry.versions)
        if entry is None:
            fields = {"slug": slug, **NEW} | {n: values[n] for n in values.keys() - OWN}
            own_text = {name: values[name] for name in OWN & values.keys()}
            entry = self.add(kind, fields, status="published", **own_text)
            entry.maintainers[submission.agent] = "present"
        elif any(values[name] != value for name, value in values_now(entry, values).items()):
            self.edit(entry, **values)
        if ends_recall:
            self.set_status(entry, "published")
        if len(entry.versions) > number:
            entry.authors[len(entry.versions)] = submission.agent
        submission.decide(self.interval, "published", number=len(entry.versions))
        return "done"

    def obstacle(self, submission, entry, values, *, ends_recall):
        text, content = submission.text, values["content"]
        if entry is None:
            return self.refusal_of_submitted(submission.kind, None, text, content)
        if entry.status == "draft":
            return "draft"
        if entry.status == "withdrawn" and not ends_recall:
            return "withdrawn"
        has_text = entry.digest == submission.digest
        if submission.base is None and entry.is_published and not has_text:
            return "taken"
        return self.refusal_of_submitted(submission.kind, entry, text, content)

    def reject_submission(self, submission, reason):
        submission.decide(self.interval, "rejected", reason=reason)

    def purge_submissions(self, kind, digests):
        for submission in self.submissions:
            if submission.kind == kind and submission.digest in digests:
                if submission.state == "pending":
                    submission.decide(self.interval, "rejected", reason=PURGED)
                submission.text = None

    def end_all_trust(self, agent):
        for entry in (entry for entries in self.entries.values() for entry in entries):
            if entry.maintainers.get(agent) == "trusted":
                entry.maintainers[agent] = "present"

    def trust(self, entry, agent):
        entry.maintainers[agent] = "trusted"

    def end_trust(self, entry, agent):
        entry.maintainers[agent] = "present"

    def remove_maintainer(self, entry, agent, *, opens):
        entry.maintainers[agent] = "removed"
        if opens:
            entry.maintainers.clear()


FIELDS = ["title", "description", "license"]  # that a submitted file may have
OWN = {"content", "frontmatter"}  # the text itself, besides its fields


def values_of(kind, slug, text, entry):
    """The values that an entry has with this file, and without: what staff have set stays."""
    head = head_of(text)
    sent, published = fields_of(head), fields_of(entry.file_text if entry else "")
    values = {name: sent.get(name, "") for name in FIELDS}
    if entry is not None:
        same = [name for name in values if sent.get(name) == published.get(name)]
        values |= {name: entry.fields[name] for name in same}
    values["title"] = values["title"] or slug.replace("-", " ").title()
    if kind == "skills":
        return values | {"content": text}
    return values | {"frontmatter": head, "content": text.removeprefix(head)}


def overrules_staff(submission, entry):
    """Whether it changes a field of its file that staff have set beside the published one."""
    sent, published = fields_of(submission.text), fields_of(entry.file_text)
    changed = (name for name in FIELDS if sent.get(name) != published.get(name))
    return any(entry.fields[name] != published.get(name, "") for name in changed)


def values_now(entry, names):
    return {n: entry.fields[n] if n in entry.fields else getattr(entry, n) for n in names}


def has_values(entry, values):
    return values_now(entry, values) == values


def is_of_same(one, other):
    return (one.agent, one.kind, one.slug) == (other.agent, other.kind, other.slug)


def title(submission):
    return submission.kind.removesuffix("s").capitalize()


def own(agent, submission_id):
    known = (row for row in agent.submissions if str(row.submission_id) == submission_id)
    return next(known, None)
