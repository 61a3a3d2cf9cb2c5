"""Records events, and reads them as `manage.py audit` prints them."""

import json
from io import StringIO

from django.core.management import call_command

from audit.models import AuditEvent


def record(action, **options):
    AuditEvent.objects.record(action, kind="skill", **options)


def lines(*arguments):
    output = StringIO()
    call_command("audit", *arguments, stdout=output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def actions(*arguments):
    return [line["action"] for line in lines(*arguments)]
