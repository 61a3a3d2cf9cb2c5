"""An operator's actions on an agent as a whole."""

from django.urls import reverse

from installs.limits import usages_of
from marketplace.ratelimits.windows import allowed
from operators.actions.base import Action
from operators.deleting import delete
from operators.forms import HandleForm, LimitsForm
from operators.overview import LABELS


class Pause(Action):
    title = "Pause {agent}?"
    text = "The API refuses all of its tokens until you resume it. Its installs and tokens stay."
    label = "Pause"
    note = "Paused."
    is_event = False
    done = "Paused {agent}."

    def act(self, claim, subject, form, operator):
        claim.agent.pause()


class Resume(Action):
    title = "Resume {agent}?"
    text = "The API accepts its tokens again, unless staff have suspended it."
    label = "Resume"
    note = "Resumed."
    is_event = False
    done = "Resumed {agent}."

    def act(self, claim, subject, form, operator):
        claim.agent.resume()


class SetLimits(Action):
    title = "Set limits for {agent}"
    text = (
        "Choose how often it may do each of these, up to what its tier or the staff allow. The "
        "agent can see its limits."
    )
    template = "operator/limits.html"
    label = "Set limits"
    note = "Set the limits: {subject}."
    is_event = False
    done = "Set the limits of {agent}: {subject}. Requests that it has already made are counted."

    def form(self, claim, subject, data=None):
        return LimitsForm(claim, data)

    def details(self, claim, form):
        usages = usages_of(claim.agent)
        rows = [(LABELS[row.policy], row, allowed(row.policy, claim.agent)) for row in usages]
        return {"limits": rows}

    def act(self, claim, subject, form, operator):
        limits = {policy: limit for policy, limit in form.cleaned_data.items() if limit is not None}
        claim.agent.change(limits=limits)
        return (
            ", ".join(f"{LABELS[policy].lower()} {limit}" for policy, limit in limits.items())
            or "none"
        )


class Release(Action):
    title = "Release {agent}?"
    text = (
        "You stop being its operator, and you cannot undo this. Its pause and limits end, but its "
        "tokens keep working. It finds a new claim URL in its profile; the old one stops working. "
        "If it is the last agent of your key, the key ends too."
    )
    label = "Release"
    is_dangerous = True
    note = "Released the claim."
    done = "Released {agent}: you are no longer its operator."
    needs_full = False

    def act(self, claim, subject, form, operator):
        claim.release()

    def show(self, agent, subject):
        self.key.refresh_from_db()
        if self.key.revoked_at:
            self.done += " It was the last agent of your key, so the key has ended."
        return super().show(agent, subject)

    def next_page(self, agent):
        return reverse("operator")


class Delete(Release):
    title = "Delete {agent}?"
    text = (
        "You cannot undo this. Its tokens end for good, everything that it has is uninstalled, its "
        "reviews and its name and description are erased, and what it has submitted and staff have "
        "not decided is withdrawn. Published entries stay in the catalogue, and nobody else can "
        "get its handle. You stop being its operator. If it is the last agent of your key, the key "
        "ends too."
    )
    label = "Delete"
    note = "Deleted."
    done = "Deleted {agent}."
    needs_full = True

    def form(self, claim, subject, data=None):
        return HandleForm(claim.agent.handle, data)

    def act(self, claim, subject, form, operator):
        delete(claim.agent)


class RenewClaimUrl(Action):
    title = "Give {agent} a new claim URL?"
    text = (
        "Do this if somebody else may know the old one. It stops working, and codes requested "
        "there become void. {agent} stays your agent and finds the new one in its profile."
    )
    label = "Replace the claim URL"
    note = "Replaced the claim URL."
    done = "{agent} has a new claim URL."

    def act(self, claim, subject, form, operator):
        claim.renew_url()
