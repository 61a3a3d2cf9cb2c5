from agents.models import Agent


def sibling(agent, write, *args, **options):
    """A write of the same agent, which holds the agent's lock until it is committed."""
    return lambda: write(Agent.objects.get(pk=agent.pk), *args, **options)
