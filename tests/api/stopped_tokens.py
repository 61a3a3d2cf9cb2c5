"""Texts of an agent's token that no longer opens anything, each for a reason of its own."""

from datetime import timedelta

from django.utils import timezone

from agents.models import AgentToken


def revoked(agent):
    agent.token.revoke()
    return agent.token.text


def expired(agent):
    a_second_ago = timezone.now() - timedelta(seconds=1)
    AgentToken.objects.filter(pk=agent.token.pk).update(expires_at=a_second_ago)
    return agent.token.text


def suspended(agent):
    agent.suspend()
    return agent.token.text


def paused(agent):
    agent.pause()
    return agent.token.text
