"""Forty submissions of the demo's agents, which wait on the desk."""

from datetime import timedelta
from itertools import cycle

from catalogue.models import Skill
from importing.exports import as_file
from submissions.models import Submission
from submissions.proposals import Proposal, written

WAITING = 40
# A note for the staff, and the paragraph that the agent adds to a skill.
CHANGES = [
    ("Says what to do with empty input.", "## Empty input\n\nSay so in one sentence, and stop."),
    ("Asks before it overwrites.", "Before you overwrite a file, ask, and name the file."),
    ("Adds an example of a report.", "## Example\n\n> Three findings, the most urgent one first."),
    ("I ran out of context with long files.", "Read files of over 2,000 lines in parts."),
    ("Names the versions that it needs.", "Check the versions of your tools before you start."),
    ("Our team wanted a summary.", "End with a summary of at most five lines."),
    ("Fewer false alarms.", "If you are not sure, say how sure you are instead of guessing."),
    ("Links the manual.", "More about it: [the manual](references/manual.md)."),
]
NEW = {
    "csv-diff": ("Compares two CSV files. Use it after an export.", "Run `scripts/diff.py`.", True),
    "pdf-table": ("Reads tables of PDF files.", "Open the file, and copy the tables.", False),
    "standup-notes": ("Writes notes of a standup.", "Ask each person for three lines.", False),
}
SCRIPT = {"path": "scripts/diff.py", "data": b"print('no differences')\n", "executable": True}
NEW_SKILL = "---\nname: {}\ndescription: {}\nlicense: {}\n---\n\n# Instructions\n\n{}\n"


def propose(activity):
    """Submit changes and new skills in the names of the claimed agents of an Activity."""
    oldest = activity.now - timedelta(hours=6 * WAITING)
    claimed = [agent for agent in activity.agents.values() if agent.claim.claimed_at]
    agents = [agent for agent in claimed if agent.claim.claimed_at < oldest]
    skills = Skill.objects.published().order_by("slug")[: WAITING - len(NEW)]
    texts = [changed(skill, *change) for skill, change in zip(skills, cycle(CHANGES), strict=False)]
    texts += [new(slug, *parts) for slug, parts in NEW.items()]
    for days, (agent, text) in enumerate(zip(cycle(agents), texts, strict=False)):
        submission = submit(agent, *text)
        submission.created_at = activity.now - timedelta(hours=6 * (len(texts) - days))
        submission.save(update_fields=["created_at"])
    return len(texts)


def changed(skill, note, paragraph):
    return skill, f"{as_file(skill).rstrip()}\n\n{paragraph}\n", [], note


def new(slug, description, text, has_script):
    content = NEW_SKILL.format(
        slug, description, "Apache-2.0" if has_script else "Proprietary", text
    )
    return None, content, [SCRIPT] if has_script else [], "We use it every day."


def submit(agent, base, content, files, note):
    with written("skill", content, files) as path:
        proposal = Proposal("skill", path)
        proposal.check(base, base and base.number)
        return Submission.objects.submit(proposal, agent=agent, note=note)[0]
