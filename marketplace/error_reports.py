from django.views.debug import ExceptionReporter

from marketplace.logging import mask


class MaskedReporter(ExceptionReporter):
    """Django's report of a crash, with its local variables, for the mails of deployers who want it.

    Masked as a whole, because a secret turns up in variables of any name and at any depth.
    """

    def get_traceback_html(self):
        return mask(super().get_traceback_html())

    def get_traceback_text(self):
        return mask(super().get_traceback_text())
