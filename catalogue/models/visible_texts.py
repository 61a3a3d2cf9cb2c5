from django.core.exceptions import ValidationError

from catalogue.frontmatter_findings import escaped_characters
from marketplace.hidden_text import as_sentences, sentences

FILES = {"content", "frontmatter"}  # the fields in which YAML may have escapes


class VisibleTexts:
    """For entries, which agents and the public read."""

    def check_characters(self, *, keeps_stored=True):
        """Raises ValidationError for hidden characters (contract 28.7).

        Texts that are stored already may stay, unless they are to be published.
        """
        texts = {name: getattr(self, name, "") for name in (*self.frontmatter_fields(), *FILES)}
        refused = {name: reasons for name in texts if (reasons := reasons_of(name, texts[name]))}
        if refused and keeps_stored and self.pk:
            stored = type(self).objects.filter(pk=self.pk).values(*refused).first() or {}
            same = {name for name, value in stored.items() if value == texts[name]}
            refused = {name: reasons for name, reasons in refused.items() if name not in same}
        if refused:
            raise ValidationError(refused)


def reasons_of(name, value):
    escaped = escaped_characters(value) if name in FILES else ()
    return sentences(value) or as_sentences(escaped)
