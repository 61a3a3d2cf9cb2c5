from django.db import models

# The parts of a provenance in the order of a sentence.
WORDS = {"run": "run {}", "project": "{}", "ref": "{}", "commit": "commit {}", "issuer": "{}"}


class SentFromRun(models.Model):
    """A row that a run of CI may have sent (contract 31.13)."""

    # As AgentToken.provenance has it; NULL if no run sent it.
    provenance = models.JSONField(null=True)

    class Meta:
        abstract = True

    @property
    def sent_from(self):
        """Such as "run 42, acme/skills, refs/heads/main, commit 9b2f0c1, https://gitlab.com"."""
        known = {name: text for name, text in (self.provenance or {}).items() if text}
        return ", ".join(WORDS[name].format(known[name]) for name in WORDS if name in known)
