from marketplace.api.exceptions import Conflict, NotFound, PaymentRequired


class SkillAlreadyInstalled(Conflict):
    default_detail = "Skill already installed"


class PersonaAlreadyInstalled(Conflict):
    default_detail = "Persona already installed"


class SkillNotInstalled(NotFound):
    default_detail = "Skill not installed"


class PersonaNotInstalled(NotFound):
    default_detail = "Persona not installed"


class PersonaRequiresPayment(PaymentRequired):
    default_detail = (
        "This persona requires payment. Agent API currently supports free personas only."
    )
