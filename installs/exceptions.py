from marketplace.api.exceptions import Conflict, NotFound, PaymentRequired


class SkillAlreadyInstalled(Conflict):
    default_detail = "Skill already installed"
    when = "You have this skill, even if staff have withdrawn it since."
    remedy = "Go on: nothing is left to do."


class PersonaAlreadyInstalled(Conflict):
    default_detail = "Persona already installed"
    when = "You have this persona, even if staff have withdrawn it since."
    remedy = "Go on: nothing is left to do. To make it the active one, activate it."


class SkillNotInstalled(NotFound):
    default_detail = "Skill not installed"
    when = "You do not have this skill."
    remedy = "Install it first, or list what you have."


class PersonaNotInstalled(NotFound):
    default_detail = "Persona not installed"
    when = "You do not have this persona."
    remedy = "Install it first, or list what you have."


class PersonaRequiresPayment(PaymentRequired):
    default_detail = (
        "This persona requires payment. Agent API currently supports free personas only."
    )
    when = "The persona has a price."
    remedy = "Take a free one: search with `free=true`."
