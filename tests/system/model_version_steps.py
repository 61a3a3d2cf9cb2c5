"""Strategies for the next action of staff on texts and versions in the model test."""

from hypothesis import strategies as st

from tests.system.model_data import RECALL_REASONS, TITLES, WORDS
from tests.system.scale import scale

# Each response with a large text takes a tenth of a second.
WRITTEN = ["first", "second", "third", "first with tools"] * 2 + scale(short=[], long=["large"])
SHORT = 1000  # characters
ACTS = ["restore_version"] * 3 + ["recall_version"] * 4 + ["purge_version"]
ACTS_ON_RECALLED = ["lift_recall"] * 3 + ["restore_version"] * 3 + ["purge_version"] * 2
ACTS_ON_RECALLED += ["recall_version"]
ABOUT = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(TITLES),
        "description": st.sampled_from(["", *WORDS]),
        "version": st.sampled_from(["", "2.0", "2.1"]),
    },
)


@st.composite
def writings(draw, model, kind, entry=None):
    """A new text, mostly with other fields; or only these fields, which make no version."""
    if entry is None:
        refusing = [entry for entry in model.entries[kind] if model.refused_texts(entry)]
        entry = draw(st.sampled_from(model.entries[kind] + refusing * 2))
    # Hypothesis prints its draws.
    refused = [text for text in model.refused_texts(entry) if len(text) < SHORT]
    texts = st.sampled_from(WRITTEN + refused * 5)
    text = None if entry.content and not draw(st.integers(0, 4)) else draw(texts)
    about = draw(ABOUT)
    if not entry.content:
        about["title"] = draw(st.sampled_from(TITLES))
    return "write", entry, text, about or {"title": TITLES[0]}


@st.composite
def version_steps(draw, model, kind):
    """An action of staff on a version, mostly one that agents have, or that was recalled."""
    entries = [entry for entry in model.entries[kind] if entry.versions]
    # Those with a text that is not current, which can be recalled.
    able = [entry for entry in entries if len(entry.versions) > 1 or not entry.is_published]
    refusing = [entry for entry in entries if model.refused_texts(entry)]
    entry = draw(st.sampled_from(able * 3 + refusing * 4 + entries))
    used = [version for agent in model.agents for version in uses(agent, entry)]
    gone = [version for version in entry.versions if version.recall]
    earlier = [version for version in entry.versions if not entry.has_now(version)]
    choices = [*entry.versions, *earlier * 3, *used * 2, *gone * 4]
    version = draw(st.sampled_from(choices))
    act = draw(st.sampled_from(ACTS_ON_RECALLED if version.recall else ACTS))
    if act in {"recall_version", "purge_version"}:
        return act, entry, version, draw(st.sampled_from(RECALL_REASONS))
    return act, entry, version


def uses(agent, entry):
    """Every number of the text that an agent has of an entry."""
    install = (agent.skills | agent.personas).get(entry)
    return entry.with_text(install.digest) if install else []


@st.composite
def numbers(draw, entry, number):
    """The number in a request, if any; or that of a recalled version."""
    if number is None:
        return {}
    recalled = [version.number for version in entry.versions if version.recall] if entry else []
    return {"version": draw(st.sampled_from([number, *recalled * 2]))}
