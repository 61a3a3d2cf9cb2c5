from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self):
        from audit import staff  # noqa: F401, PLC0415
