from django.views.debug import ExceptionReporter

from marketplace.secrets import mask


class MaskedReporter(ExceptionReporter):
    """Django's report of a crash, local variables included, for deployers who have it mailed.

    Masked as a whole, because a secret can be in a variable of any name and at any depth.
    """

    def get_traceback_html(self):
        return mask(super().get_traceback_html())

    def get_traceback_text(self):
        return mask(super().get_traceback_text())
