"""Lines of which odd frontmatter is made, for Hypothesis."""

from hypothesis import strategies as st

PIECES = st.sampled_from(
    [
        *(
            "name: pdf",
            "name: PDF Tables",
            "Name: x",
            "'name': x",
            "name:",
            "name: >-",
            "name: &a b",
        ),
        *("description: x", "description: Use when: x", "description:", "Description: 'x'"),
        *(
            "description: |",
            "description: *a",
            "description: !!str 1",
            "description: [a]",
            "description: 12",
        ),
        *(
            "  more",
            "\tmore",
            "  - a: b: c",
            "- a",
            "- @b",
            "    deep: {x: [y]}",
            "  key: v",
            "  key: @v",
        ),
        *(
            "# comment",
            "",
            "  # c",
            "{name: x, description: y}",
            "? a",
            ": b",
            "--- x",
            "%TAG",
            "<<: *a",
        ),
        *(
            "hooks: true",
            "x: 'true'",
            "x: !foo y",
            "x: *b",
            "x: &b {y: 1}",
            'x: "\\ud83d"',
            "a b",
            "é: ü",
        ),
        *(
            "x: \x07",
            "x: a\u2028b",
            "x: \U0001f389",
            "\u00a0x: y",
            "key\uff1av",
            "x: |2",
            "x: 'open",
            "x: [open",
        ),
        *("# Title", "Do it.", "Tools: Read", "tools: 'Bash'", "USER-INVOCABLE: false"),
    ]
)
