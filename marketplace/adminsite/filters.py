from django.contrib import admin


class ChoiceFilter(admin.SimpleListFilter):
    """A filter by one of its `options`, `{value: (label, narrow)}`; `narrow` takes the rows."""

    options = {}

    def lookups(self, request, model_admin):
        return [(value, label) for value, (label, _) in self.options.items()]

    def queryset(self, request, queryset):
        _, narrow = self.options.get(self.value(), (None, None))
        return narrow(queryset) if narrow else queryset


class QueueFilter(ChoiceFilter):
    """The first of its `options` applies unless you choose another."""

    title = parameter_name = "state"

    def lookups(self, request, model_admin):
        return super().lookups(request, model_admin)[1:]

    def choices(self, changelist):
        first, *others = super().choices(changelist)
        label, _ = next(iter(self.options.values()))
        return [first | {"display": label}, *others]

    def queryset(self, request, queryset):
        value = self.value() if self.value() in self.options else next(iter(self.options))
        return self.options[value][1](queryset)


def is_set(field):
    """The options of whether a datetime is set."""
    return {
        "yes": ("yes", lambda rows: rows.exclude(**{field: None})),
        "no": ("no", lambda rows: rows.filter(**{field: None})),
    }
