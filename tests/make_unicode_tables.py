"""Writes `marketplace/unicode_tables.py` from the files of the Unicode Character Database.

    python -m tests.make_unicode_tables FOLDER > marketplace/unicode_tables.py

FOLDER has the files named below, all of one version, from its folders `ucd` and `ucd/emoji` at
https://www.unicode.org/Public/. Neither Python nor a well-kept package knows all these properties.
"""

import re
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path

# Besides the Indic scripts, which have a virama or an invisible stacker.
JOINING = {"Arab", "Syrc", "Nkoo", "Mong"}
STACKERS = {"Virama", "Invisible_Stacker"}
LINE = 86  # characters of a table in a line
HEADER = '''\
"""Properties of characters that Python's `unicodedata` lacks, as sets for regular expressions.

Written by tests/make_unicode_tables.py from Unicode {version}.
"""

# Default_Ignorable_Code_Point: what a program that has no glyph for it shows as nothing.
IGNORABLE = {ignorable}

# The letters and marks of the scripts in which a joiner changes how a word looks: Arabic, Syriac,
# N'Ko, Mongolian, and the Indic scripts with a virama.
JOINING = {joining}

# Extended_Pictographic: what a joiner connects in a sequence of emoji.
PICTOGRAPHS = {pictographs}

# Ideographic, without Tangut, Nushu and Khitan: what the Ideographic Variation Database may list.
IDEOGRAPHS = {ideographs}

# The listed bases of each variation selector: StandardizedVariants.txt, and for U+FE0E and U+FE0F
# emoji-variation-sequences.txt.
BASES = {{
{bases}}}
'''


class Database:
    """The files of a folder."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def rows(self, name):
        """The fields of each line, without comments."""
        for line in (self.folder / name).read_text(encoding="utf-8").splitlines():
            data = line.partition("#")[0].strip()
            if data:
                yield [field.strip() for field in data.split(";")]

    def having(self, name, value):
        """The code points that have a property, or a value of it."""
        return {
            code
            for codes, property_name, *_ in self.rows(name)
            if property_name == value
            for code in code_points(codes)
        }

    @property
    def version(self):
        line = (self.folder / "Scripts.txt").read_text(encoding="utf-8").partition("\n")[0]
        return re.search(r"\d+\.\d+\.\d+", line)[0]

    def scripts(self):
        """The code points of each script, by its long name."""
        scripts = defaultdict(set)
        for codes, script in self.rows("Scripts.txt"):
            scripts[script].update(code_points(codes))
        return scripts

    def joining(self):
        scripts = self.scripts()
        stackers = set().union(
            *(self.having("IndicSyllabicCategory.txt", kind) for kind in STACKERS)
        )
        short_names = {
            names[1]: names[0]
            for kind, *names in self.rows("PropertyValueAliases.txt")
            if kind == "sc" and (scripts[names[1]] & stackers or names[0] in JOINING)
        }
        joining = set().union(*(scripts[name] for name in short_names))
        for codes, names in self.rows("ScriptExtensions.txt"):
            shared = {*names.split()}
            # Marks that Latin letters take as well say nothing about the script.
            if shared & {*short_names.values()} and "Latn" not in shared:
                joining.update(code_points(codes))
        return joining - self.ignorable()

    def ignorable(self):
        return self.having("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point")

    def ideographs(self):
        scripts = self.scripts()
        others = scripts["Tangut"] | scripts["Nushu"] | scripts["Khitan_Small_Script"]
        return self.having("PropList.txt", "Ideographic") - others

    def bases(self):
        """The listed bases of each selector."""
        bases = defaultdict(set)
        for name in ("StandardizedVariants.txt", "emoji-variation-sequences.txt"):
            for sequence, *_ in self.rows(name):
                base, selector = (int(code, 16) for code in sequence.split())
                bases[selector].add(base)
        return bases


def code_points(text):
    first, _, last = text.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def literal(codes, indent=4):
    """The code points as the inside of a character set, in Python's syntax."""
    ranges = []
    for _, group in groupby(enumerate(sorted(codes)), lambda pair: pair[1] - pair[0]):
        run = [code for _, code in group]
        ranges.append(
            "".join(map(escaped, run)) if len(run) < 3 else f"{escaped(run[0])}-{escaped(run[-1])}"
        )
    lines = [""]
    for item in ranges:
        if len(lines[-1]) + len(item) > LINE:
            lines.append("")
        lines[-1] += item
    return "(\n" + "".join(f'{" " * indent}"{line}"\n' for line in lines) + " " * (indent - 4) + ")"


def escaped(code):
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def tables(folder):
    database = Database(folder)
    bases = sorted(database.bases().items())
    return HEADER.format(
        version=database.version,
        ignorable=literal(database.ignorable()),
        joining=literal(database.joining()),
        pictographs=literal(database.having("emoji-data.txt", "Extended_Pictographic")),
        ideographs=literal(database.ideographs()),
        bases="".join(f'    "{escaped(code)}": {literal(found, 8)},\n' for code, found in bases),
    )


if __name__ == "__main__":
    sys.stdout.write(tables(sys.argv[1]))
