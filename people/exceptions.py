class SignInRefused(Exception):
    """The sentence of the page that refuses a sign-in, the reason for the log, and the user."""

    def __init__(self, sentence, reason="", username=""):
        super().__init__(reason or sentence)
        self.sentence = sentence
        self.username = username


INVALID = "The answer of the identity provider is not valid. Sign in again."
STALE = "This sign-in is over, or another browser began it. Sign in again."
NO_GROUP = "Your account at the identity provider is in no group that opens this marketplace."
LINKED = (
    "You are in so many groups that the identity provider sends only a link to their list. Ask its "
    "administrators to send only the groups that are assigned to this application."
)
SWITCHED_OFF = "Your user was switched off here."
TAKEN = "Your user name is taken here. Ask the staff to rename the local user that has it."
