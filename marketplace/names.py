"""The characters that no name may have. People and models read a name on one line with others."""

import re

from marketplace.hidden_text import has_refused

# Control characters, separators of lines and paragraphs, bidirectional overrides and isolates,
# which reorder the text around a name, and tags, which only models can see. Right-to-left marks and
# joiners are allowed, because names in many scripts need them.
CONTROLS = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def has_controls(name):
    return CONTROLS.search(name) is not None or has_refused(name)
