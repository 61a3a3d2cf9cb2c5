from django.apps import AppConfig


class GitConfig(AppConfig):
    name = "interfaces.git"
    label = "git"
