"""The run of CI that a token belongs to, as the claims of the token describe it.

The claims are those of GitHub Actions and GitLab; other issuers have a `sub`.
"""

from marketplace.hidden_text import parts_of
from marketplace.names import CONTROLS
from marketplace.secrets import TOKEN

# The events that start a run that may publish. A pull request starts the others, or may have: a run
# of `workflow_run` or of a child pipeline does not say.
STARTS = {
    "event_name": {
        *("push", "workflow_dispatch", "schedule", "release", "create", "repository_dispatch"),
    },
    "pipeline_source": {"push", "web", "schedule", "api", "trigger"},
}
# Branches and tags. All other full refs belong to pull requests, or to their pipelines.
OWN_REFS, QUEUE = ("refs/heads/", "refs/tags/"), "refs/heads/gh-readonly-queue/"
# The claims that may hold each part of the provenance. The first that the token has counts.
PROVENANCE = {
    "issuer": ["iss"],
    "project": ["repository", "project_path", "sub"],
    "ref": ["ref"],
    "commit": ["sha"],
    "run": ["run_id", "pipeline_id"],
}
MAX_NAME, MAX_TEXT = 80, 255


def is_of_pull_request(claims):
    """Whether a pull request started the run, or may have: its text is not the project's yet."""
    refs = [claims[name] for name in ("ref", "ref_path") if claims.get(name) is not None]
    return (
        any(
            name in claims and not is_one_of(claims[name], events)
            for name, events in STARTS.items()
        )
        or any(claims.get(name) not in (None, "") for name in ("head_ref", "base_ref"))
        or not all(is_of_project(ref) for ref in refs)
        or ":pull_request" in claims.get("sub", "")
    )


def is_one_of(value, texts):
    return isinstance(value, str) and value in texts


def is_of_project(ref):
    """Whether a ref is one of the project's branches or tags. GitLab's `ref` is their name."""
    if not isinstance(ref, str) or ref.startswith(QUEUE):
        return False
    return ref.startswith(OWN_REFS) or not ref.startswith("refs/")


def provenance_of(claims):
    """`{part: text}` of each part of PROVENANCE; None for a part that no claim has."""
    return {part: first_text(claims, names) for part, names in PROVENANCE.items()}


def first_text(claims, names):
    texts = (claims[name] for name in names if isinstance(claims.get(name), str))
    return clean(next(texts, ""), MAX_TEXT) or None


def clean(text, length):
    """At most `length` characters of a claim, without hidden ones, and with tokens masked."""
    # The end of a start may need a hidden character no longer.
    return shown(TOKEN.sub("[masked]", shown(text))[:length])


def shown(text):
    return "".join(part for hidden, part in parts_of(CONTROLS.sub("", text)) if not hidden)


def name_of(provenance):
    """The name of the token that a run gets."""
    run = provenance["run"] or provenance["commit"] or "unknown"
    return clean(f"Run {run[:30]} of {provenance['project'] or 'unknown'}", MAX_NAME)
