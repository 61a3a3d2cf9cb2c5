from django.views.debug import ExceptionReporter

from marketplace.secrets import mask


class MaskedReporter(ExceptionReporter):
    """Django's report of a crash, local variables included, for deployers who receive it by mail.

    It is masked as a whole, because a variable of any name and depth can contain a secret.
    """

    def get_traceback_html(self):
        return mask(super().get_traceback_html())

    def get_traceback_text(self):
        return mask(super().get_traceback_text())
