from catalogue.licenses import is_accepted

ACCEPTED = [
    ("MIT", True),
    ("mit", True),
    ("MIT OR GPL-3.0-only", True),
    ("GPL-3.0-only OR MIT", True),
    ("MIT AND GPL-3.0-only", False),
    ("MIT AND Apache-2.0", True),
    ("(MIT OR GPL-3.0-only) AND Apache-2.0", True),
    ("MIT OR (GPL-3.0-only AND Apache-2.0)", True),
    ("GPL-3.0-only AND (MIT OR Apache-2.0)", False),
    ("GPL-3.0-only OR MIT AND BSD-3-Clause", False),
    ("Apache-2.0 WITH LLVM-exception", True),
    ("GPL-2.0-only WITH Classpath-exception-2.0", False),
    ("LicenseRef-ours", True),
    ("MIT License", False),
    ("See LICENSE.txt", False),
    ("MIT OR", False),
    ("(", False),
    ("(" * 250 + "MIT" + ")" * 250, False),
    ("", False),
]


def test_accepted_licenses():
    for expression, accepted in ACCEPTED:
        names = {"MIT", "Apache-2.0", "LicenseRef-ours"}
        assert is_accepted(expression, names) is accepted, expression
