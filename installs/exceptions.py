from marketplace.api.exceptions import Conflict, PaymentRequired


class SkillAlreadyInstalled(Conflict):
    default_detail = "Skill already installed"


class PersonaAlreadyInstalled(Conflict):
    default_detail = "Persona already installed"


class PersonaRequiresPayment(PaymentRequired):
    default_detail = (
        "This persona requires payment. Agent API currently supports free personas only."
    )
