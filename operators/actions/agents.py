"""What an operator does with the agent as a whole."""

from operators.actions.base import Action
from operators.forms import LimitsForm


class Pause(Action):
    title = "Pause {agent}?"
    text = "The API refuses all of its tokens until you resume it. It keeps what it has."
    label = "Pause"
    note = "Paused."
    is_event = False
    done = "Paused {agent}."

    def act(self, claim, subject, form, operator):
        claim.agent.pause()


class Resume(Action):
    title = "Resume {agent}?"
    text = "The API accepts its tokens again, if staff have not suspended it."
    label = "Resume"
    note = "Resumed."
    is_event = False
    done = "Resumed {agent}."

    def act(self, claim, subject, form, operator):
        claim.agent.resume()


class SetLimits(Action):
    title = "Limit {agent}"
    text = "How often it may do each of these, at most. The agent reads it in its limits."
    label = "Set the limits"
    note = "Set the limits: {subject}."
    is_event = False
    done = "Set the limits of {agent}: {subject}. Requests it has already made count."

    def form(self, claim, subject, data=None):
        return LimitsForm(claim, data)

    def act(self, claim, subject, form, operator):
        limits = {policy: limit for policy, limit in form.cleaned_data.items() if limit is not None}
        claim.agent.change(limits=limits)
        return ", ".join(f"{policy} {limit}" for policy, limit in limits.items()) or "none"


class Release(Action):
    title = "Release {agent}?"
    text = (
        "It is your agent no longer: you cannot undo this. Its pause and its limits end, its "
        "tokens go on working. It finds a new claim URL in its profile; the old one leads nowhere. "
        "If it is the last agent of your key, the key ends with it."
    )
    label = "Release"
    is_dangerous = True
    note = "Released the claim."
    done = "Released {agent}: it is your agent no longer."
    needs_full = False
    next_page = "/operator"

    def act(self, claim, subject, form, operator):
        claim.release()

    def show(self, agent, subject):
        self.key.refresh_from_db()
        if self.key.revoked_at:
            self.done += " It was the last one of your key, which has ended."
        return super().show(agent, subject)


class RenewClaimUrl(Action):
    title = "Give {agent} a new claim URL?"
    text = (
        "For when somebody else may know it. The old one leads nowhere, and codes that were asked "
        "for there are void. {agent} stays your agent, and finds the new one in its profile."
    )
    label = "Replace the claim URL"
    note = "Replaced the claim URL."
    done = "{agent} has a new claim URL."

    def act(self, claim, subject, form, operator):
        claim.renew_url()
