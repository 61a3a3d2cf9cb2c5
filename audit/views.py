"""For views of the API whose changes are recorded."""

from marketplace.acting import acting


class AuditedMixin:
    def dispatch(self, request, *args, **kwargs):
        with acting("agent", request=request):
            return super().dispatch(request, *args, **kwargs)
