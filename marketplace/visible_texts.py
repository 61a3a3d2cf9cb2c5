"""Forms of texts that others read."""

from marketplace.hidden_text import sentences


class VisibleTextsMixin:
    """Refuses hidden characters in what somebody has edited (contract 28.7)."""

    def full_clean(self):
        super().full_clean()
        for name in self.changed_data if self.is_bound else ():
            for sentence in sentences(self.cleaned_data.get(name)):
                self.add_error(name, sentence)
