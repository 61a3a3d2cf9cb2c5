"""What staff do in the model test, with the admin's pages, commands, or the code behind them."""

from contextlib import contextmanager
from io import StringIO

from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from agents import tokens
from agents.models import Agent, AgentToken
from catalogue.models import Persona, Skill
from reviews.models import Review
from tests.system import model_data as data
from tests.system.model_agents import Agent as ModelAgent
from tests.system.model_reviews import Review as ModelReview

# The outcome of an action on a text, by the message to staff.
ENDS = {
    "done": ("Restored version ", "Recalled version ", "Lifted the recall of version ", "Purged "),
    "recalled": ("This text was recalled.",),
    "purged": ("This text was purged ", "A purged text cannot come back."),
    "current": (" has this text now.",),
    "same": ("The entry has this text already.",),
    "again": ("This text is recalled already.",),
    "unrecalled": ("This text is not recalled.",),
    "draft": ("A draft of staff has the slug ",),
    "withdrawn": (" is withdrawn. Publish and end the recall",),
    "taken": (" was taken since this was submitted.",),
}
# The outcomes that a run at full length must have seen.
REACHED_ENDS = {
    "write": {"done", "recalled", "purged"},
    "publish": {"done", "recalled", "purged"},
    "restore_version": {"done", "recalled", "purged", "same"},
    "recall_version": {"done", "current", "again"},
    "lift_recall": {"done", "purged"},
    "purge_version": {"done", "current"},
    "publish_submission": {"done", "draft", "withdrawn", "taken"},
    "reject": {"rejected"},
    "trust": {"pending", "published"},
}


class StaffActions:
    """For the test's machine: each action runs in the product and in the model."""

    # On an entry

    def write(self, entry, text, about):
        """Save a text, by name or literally; without one, only the other fields."""
        values = about | (data.parts(entry, text) if text else {})
        with self.clock():
            ends = self.model.write(entry, values)
            if ends == "done":
                self.save(entry, values)
            else:
                self.see_refused(entry, values, ends)
        self.counts["write", ends] += 1
        self.check_related(entry)

    def save(self, entry, values):
        row = row_of(entry)
        for name, value in values.items():
            setattr(row, name, value)
        row.save(update_fields=[*values, "updated_at"])

    def see_refused(self, entry, values, ends):
        """The form refuses the text, and so does PostgreSQL if there is no form."""
        if len(values["content"]) < len(data.TEXTS["large"]):  # which is too large for a form
            change = f"{self.admin_path(entry)}change/"
            self.agree("the form", ends, ends_of(self.staff.submit(change, **values)))
        refused = False
        try:
            with transaction.atomic():
                self.save(entry, values)
        except IntegrityError:
            refused = True
        self.agree("whether PostgreSQL refuses the text", expected=True, got=refused)

    def price(self, persona, cents):
        self.edit(persona, price_cents=cents)

    def edit(self, entry, **values):
        with self.clock():
            self.save(entry, values)
            self.model.edit(entry, **values)
        self.check_related(entry)

    def publish(self, entry):
        with self.clock(), self.compared_end("publish") as end:
            end.expected = self.model.publish(entry)
            try:
                row_of(entry).publish()
            except ValidationError as error:
                end.text = " ".join(error.messages)
        self.check_related(entry)

    def move(self, entry, verb, *reason):
        """Redraft, withdraw or recall an entry."""
        with self.clock():
            getattr(row_of(entry), verb)(*reason)
            getattr(self.model, verb)(entry, *reason)
        self.check_related(entry)

    def deprecate(self, entry, message, successor):
        with self.clock():
            row_of(entry).deprecate(message, successor and row_of(successor))
            self.model.deprecate(entry, message, successor)
        self.check_related(entry)

    def end_deprecation(self, entry):
        with self.clock():
            row_of(entry).end_deprecation()
            self.model.end_deprecation(entry)
        self.check_related(entry)

    # On a version of an entry

    def restore_version(self, entry, version):
        self.act_on_version("restore", "restore_version", entry, version)

    def recall_version(self, entry, version, reason):
        self.act_on_version("recall", "recall_version", entry, version, reason=reason)

    def lift_recall(self, entry, version):
        self.act_on_version("lift_recall", "lift_recall", entry, version)

    def take_back(self, entry):
        """Recall and purge texts of an entry, which must not come back."""
        newest, text = entry.versions[-1], entry.file_text
        self.move(entry, "withdraw")
        self.recall_version(entry, newest, data.RECALL_REASONS[0])
        self.publish(entry)
        self.purge_version(entry, newest, data.RECALL_REASONS[0])
        self.restore_version(entry, newest)
        self.lift_recall(entry, newest)
        self.write(entry, text, {"title": data.TITLES[0]})
        self.publish(entry)
        # A purged prompt may not come back in another persona either. (A SKILL.md names its skill.)
        others = [other for other in self.model.entries["personas"] if other.is_published]
        if entry.kind == "personas":
            for other in others[:1]:
                self.write(other, text, {"title": data.TITLES[0]})

    def act_on_version(self, page, act, entry, version, **fields):
        path = f"{self.admin_path(entry)}versions/{version.number}/{page}/"
        with self.clock(), self.compared_end(act) as end:
            end.expected = getattr(self.model, act)(entry, version, **fields)
            posted = self.staff.submit(path, confirmed="yes", **fields)
            self.agree("the status of the form", 302, posted.status)
            end.text = self.staff.get(posted.headers["Location"]).body.decode()
        self.check_related(entry)

    def purge_version(self, entry, version, reason):
        kind, out = entry.kind.removesuffix("s"), StringIO()
        with self.clock(), self.compared_end("purge_version") as end:
            end.expected = self.model.purge_version(entry, version, reason)
            given = (kind, entry.slug, str(version.number))
            try:
                call_command("purge_version", *given, "--reason", reason, stdout=out)
            except CommandError as error:
                out.write(str(error))
            end.text = out.getvalue()
        self.check_related(entry)

    @contextmanager
    def compared_end(self, act):
        """Compare the outcome with the model's. Without a message, the action was done."""
        end = End()
        yield end
        self.counts[act, end.expected] += 1
        self.agree(f"the end of {act}", end.expected, ends_of_text(end.text) or "done")

    def admin_path(self, entry):
        kind = entry.kind.removesuffix("s")
        return f"/admin/catalogue/{kind}/{row_of(entry).pk}/"

    # On a review or an agent

    def hide(self, review):
        row_of(review).hide("Advertising.")
        self.model.hide(review)
        self.check(agents=[review.agent], entries=[review.persona])

    def restore_review(self, review):
        row_of(review).restore()
        self.model.restore_review(review)
        self.check(agents=[review.agent], entries=[review.persona])

    def suspend(self, agent):
        with self.clock():
            row_of(agent).suspend()
            self.model.suspend(agent, suspended=True)
        self.check(agents=[agent])

    def restore(self, agent):
        with self.clock():
            row_of(agent).restore()
            self.model.suspend(agent, suspended=False)
        self.check(agents=[agent])

    def issue_token(self, agent, scopes):
        self.act("list_tokens", token=self.issue(agent, scopes))

    def issue(self, agent, scopes):
        with self.clock():
            text = AgentToken.objects.issue(row_of(agent), scopes).text
            return self.model.issue(agent, text, scopes)

    def revoke_token(self, token):
        with self.clock():
            AgentToken.objects.get(digest=tokens.digest(str(token.text))).revoke()
            token.is_usable = False
        self.act("me", token=token)
        self.check(agents=[token.agent])


class End:
    expected, text = None, ""


def ends_of(page):
    return ends_of_text(page.body.decode())


def ends_of_text(text):
    """The outcome, or None if there is no message."""
    return next((end for end, says in ENDS.items() if any(said in text for said in says)), None)


def row_of(thing):
    if isinstance(thing, ModelAgent):
        return Agent.objects.get(handle=str(thing.handle))
    if isinstance(thing, ModelReview):
        return Review.objects.get(public_id=str(thing.review_id))
    return (Skill if thing.kind == "skills" else Persona).objects.get(slug=thing.slug)
