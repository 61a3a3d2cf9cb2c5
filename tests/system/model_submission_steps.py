"""Strategies for the next submission in the model test, and for what staff decide about it."""

from hypothesis import strategies as st

from tests.system.model_data import (
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
    pending = model.pending
    maintained = [
        (entry, agent)
        for entries in model.entries.values()
        for entry in entries
        for agent in entry.present_maintainers
    ]
    parts = ["submit"] * 5 + ["withdraw"] + ["decide"] * (4 if pending else 0)
    part = draw(st.sampled_from(parts + ["maintainer"] * (1 if maintained else 0)))
    if part == "decide":
        withdrawn = [row for row in pending if model.is_withdrawn(row)]
        return draw(decisions(model, draw(st.sampled_from(pending + withdrawn * 4))))
    if part == "maintainer":
        return draw(maintainers(*draw(st.sampled_from(maintained))))
    if part == "withdraw":
        return "withdraw", draw(submission_ids(model)), draw(authors(model))
    return draw(proposals(model))


@st.composite
def authors(draw, model):
    """A token, mostly one that may submit; or none."""
    able = [token for token in model.tokens if token.may("submit")]
    return draw(st.sampled_from(able * 8 + [*model.tokens, None]))


@st.composite
def proposals(draw, model):
    kind, token = draw(KINDS), draw(authors(model))
    entries = model.entries[f"{kind}s"]
    maintained = [entry.slug for entry in entries if entry.maintainers]
    slug = draw(st.sampled_from([*SLUGS[f"{kind}s"], *NEW_SLUGS[kind], *maintained * 4]))
    license_name = draw(st.sampled_from(["MIT", "CC0-1.0", ""]))
    content = submitted_file(slug, draw(TEXTS), license_name=license_name)
    # Texts that may not come back, and the same as before.
    refused = [text for entry in named(entries, slug) for text in model.refused_texts(entry)]
    again = [row.text for row in model.pending if (row.kind, row.slug) == (f"{kind}s", slug)]
    usable = [text for text in refused + again if fields_of(text).get("name") == slug]
    body = {
        "kind": kind,
        "slug": slug,  # unknown here, so ignored: `name` in the content says it
        "content": draw(st.sampled_from([content, content, *usable])),
        "note": draw(NOTES),
    }
    newest = max((len(entry.versions) for entry in named(entries, slug)), default=0)
    if newest and draw(st.integers(0, 4)):
        body["baseNumber"] = draw(st.sampled_from([newest, newest, newest, newest + 1]))
    return "submit", body, token, kind == "skill" and draw(st.booleans())


@st.composite
def decisions(draw, model, submission):
    if not draw(st.integers(0, 4)):
        return "reject_submission", submission, draw(st.sampled_from(REJECTIONS))
    return "publish_submission", submission, model.is_withdrawn(submission) and draw(st.booleans())


@st.composite
def maintainers(draw, entry, agent):
    acts = ["trust"] * 3 + ["end_trust", "remove_maintainer"]
    act = draw(st.sampled_from(acts))
    return (act, entry, agent, *([draw(st.booleans())] if act == "remove_maintainer" else []))


def named(entries, slug):
    return [entry for entry in entries if entry.slug == slug]


def submission_ids(model):
    known = [str(submission.submission_id) for submission in model.submissions]
    return st.sampled_from([*known, UNKNOWN])
