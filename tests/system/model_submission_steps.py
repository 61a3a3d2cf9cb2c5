"""Strategies for the next submission in the model test, and for what staff decide about it."""

from hypothesis import strategies as st

from tests.system.model_data import (
    MAX_HIDDEN,
    NEW_SLUGS,
    REJECTIONS,
    SLUGS,
    UNKNOWN,
    fields_of,
    submitted_file,
)

KINDS = st.sampled_from(["skill", "persona"])
TEXTS = st.sampled_from(["first", "second", "third"])
NOTES = st.sampled_from([None, "", "It reads scans, too.", "é"])


@st.composite
def submission_steps(draw, model):
    weights = {
        proposals: 5,
        repeats: bool(repeatable(model)),
        refusals: bool(refusable(model)),
        withdrawals: 1,
        decisions: 4 * bool(model.pending),
        hidings: bool(hideable(model)),
        maintainers: bool(maintained(model)),
    }
    parts = [part for part, weight in weights.items() for _ in range(weight)]
    return draw(draw(st.sampled_from(parts))(model))


@st.composite
def repeats(draw, model):
    """The same text again while it is pending."""
    token, row = draw(st.sampled_from(repeatable(model)))
    return draw(sent_as(token, row.kind, row.slug, [row.text]))


def repeatable(model):
    return [(token, row) for row in model.pending for token in able(row.agent.tokens)]


@st.composite
def refusals(draw, model):
    """A text that may not come back."""
    token, entry = draw(st.sampled_from(refusable(model)))
    return draw(sent_as(token, entry.kind, entry.slug, refused_files(model, entry)))


def refusable(model):
    entries = [entry for entries in model.entries.values() for entry in entries]
    refusing = [one for one in entries if one.is_published and refused_files(model, one)]
    return [(token, entry) for entry in refusing for token in able_of(model, entry)]


@st.composite
def withdrawals(draw, model):
    return "withdraw", draw(submission_ids(model)), draw(authors(model))


@st.composite
def hidings(draw, model):
    return "publish_withdrawn", draw(st.sampled_from(hideable(model)))


def hideable(model):
    """The pending submissions of published entries, if staff may withdraw one more."""
    return [
        row
        for row in model.pending
        if (entry := model.existing(row.kind, row.slug))
        and entry.is_published
        and sum(not one.is_published for one in model.entries[row.kind]) < MAX_HIDDEN
    ]


@st.composite
def authors(draw, model):
    """A token, mostly one that may submit; or none."""
    return draw(st.sampled_from(able(model.tokens) * 8 + [*model.tokens, None]))


def able(tokens):
    return [token for token in tokens if token.may("submit")]


def able_of(model, entry):
    """The tokens that may submit the entry, as far as its maintainers decide that."""
    if entry.maintainers:
        return able(token for agent in entry.present_maintainers for token in agent.tokens)
    return able(model.tokens)


def refused_files(model, entry):
    """Those of its texts that may not come back, and are files of this slug."""
    texts = model.refused_texts(entry)
    return [text for text in texts if fields_of(text).get("name") == entry.slug]


@st.composite
def sent_as(draw, token, kind, slug, texts):
    """One of these texts as a submission. `slug` is unknown there: `name` in the text says it."""
    kind = kind.removesuffix("s")
    body = {"kind": kind, "slug": slug, "content": draw(st.sampled_from(texts))}
    return "submit", body | {"note": draw(NOTES)}, token, kind == "skill" and draw(st.booleans())


@st.composite
def proposals(draw, model):
    kind, token = draw(KINDS), draw(authors(model))
    entries = model.entries[f"{kind}s"]
    maintained = [entry.slug for entry in entries if entry.maintainers]
    slug = draw(st.sampled_from([*SLUGS[f"{kind}s"], *NEW_SLUGS[kind], *maintained * 4]))
    license_name = draw(st.sampled_from(["MIT", "CC0-1.0", ""]))
    content = submitted_file(slug, draw(TEXTS), license_name=license_name)
    step, body, *others = draw(sent_as(token, f"{kind}s", slug, [content]))
    newest = max((len(entry.versions) for entry in entries if entry.slug == slug), default=0)
    if newest and draw(st.integers(0, 4)):
        body["baseNumber"] = draw(st.sampled_from([newest, newest, newest, newest + 1]))
    return step, body, *others


@st.composite
def decisions(draw, model):
    withdrawn = [row for row in model.pending if model.is_withdrawn(row)]
    submission = draw(st.sampled_from(model.pending + withdrawn * 4))
    if not draw(st.integers(0, 4)):
        return "reject_submission", submission, draw(st.sampled_from(REJECTIONS))
    return "publish_submission", submission, model.is_withdrawn(submission) and draw(st.booleans())


@st.composite
def maintainers(draw, model):
    entry, agent = draw(st.sampled_from(maintained(model)))
    act = draw(st.sampled_from(["trust"] * 3 + ["end_trust", "remove_maintainer"]))
    return (act, entry, agent, *([draw(st.booleans())] if act == "remove_maintainer" else []))


def maintained(model):
    entries = [entry for entries in model.entries.values() for entry in entries]
    return [(entry, agent) for entry in entries for agent in entry.present_maintainers]


def submission_ids(model):
    known = [str(submission.submission_id) for submission in model.submissions]
    return st.sampled_from([*known, UNKNOWN])
