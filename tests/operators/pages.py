"""What tests read on pages of the console."""

import re

from installs.models import SkillInstall


def told(page):
    """The messages about the last action."""
    return re.findall('role="status">(.*?)</p>', page.content.decode())


def slugs_of(agent, model=SkillInstall):
    installs = model.objects.present().filter(agent=agent)
    return sorted(installs.values_list(f"{model.kind}__slug", flat=True))
