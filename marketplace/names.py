"""Which characters no name may have. Others read it, models too, on one line with other text."""

import re

# Control characters, separators of lines and paragraphs, bidirectional overrides and isolates,
# which reorder the text around a name, and tags, which a model reads and nobody sees. Right-to-left
# marks and joiners are left, because names in many scripts need them.
CONTROLS = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def has_controls(name):
    return CONTROLS.search(name) is not None
