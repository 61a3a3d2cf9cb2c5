"""Fails where prose reads like a translation: in Markdown, templates, comments and strings."""

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

START = r"(?:^|[.:;!?)] )[\"“>*`(]*"  # of a sentence
VERB = r"(?:is|are|was|has|have|may|can|must|stays?|gets?|goes|changes|counts|needs|remains)"
CLAUSE = r"(?:(?!\b(?:that|which|when|what|whose|until|as)\b)[^.?:;,])*"
PATTERNS = {
    # "What an agent has" is fine as a title. "What an agent has is listed." is not a sentence.
    "What as the subject": rf"{START}What (?:\w+ ){{0,2}}?{VERB} {CLAUSE}\b{VERB}\b",
    "Who as the subject": rf"{START}Who [^?]*(?:\.|$)",
    "Of a … at the start": rf"{START}Of (?:an?|the|what|each|several|those|many) ",
    "no more for no longer": r"\bno more(?=[.,;:)]|$)|\b(?:is|are) no more\b",
    "is none": r"(?<![Tt]here )\b(?:is|are|was|were) none\b",
    "of it all": r"\bof it all\b",
    "stands in": r"\bstands? in\b",
    "such a one": r"\bsuch a one\b",
}
ALLOWED = []  # sentences of the specification
# The demo's entries are examples of what others write.
SKIPPED = ("demo/skills/", "demo/personas/")
NEVER = re.compile(r"/migrations/|lint_prose")
MARKUP = re.compile(r"^```.*?^```|<[^>]*>|\{[{%#].*?[}%#]\}", re.MULTILINE | re.DOTALL)
# Ends a paragraph, an item of a list, a cell of a table.
BREAK = re.compile(r"\n\s*\n|\n\s*(?=[-*|#>] |\d+\. )|(?<= )\|")


def paragraphs_of(text):
    """The paragraphs of Markdown, of HTML or of a string, each with its line."""
    text = MARKUP.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    start = 0
    for end in [*(match.start() for match in BREAK.finditer(text)), len(text)]:
        paragraph = text[start:end].lstrip("\n -*|#>")
        yield 1 + text.count("\n", 0, end - len(paragraph)), " ".join(paragraph.split())
        start = end


def prose_of(source):
    """The comments and strings of a module, each with its line. Adjacent ones are one text."""
    kind, line, parts = None, 0, []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in {tokenize.NL, tokenize.INDENT, tokenize.DEDENT}:
            continue
        if token.type != kind:
            for place, paragraph in paragraphs_of("".join(parts)):
                yield line + place - 1, paragraph
            kind, line, parts = token.type, token.start[0], []
        if kind == tokenize.COMMENT:
            parts.append(token.string.lstrip("# ") + "\n")
        elif kind == tokenize.STRING:
            parts.append(token.string.strip("rbfRBF").strip("\"'"))


def findings():
    for suffix, blocks_of in [("md", paragraphs_of), ("html", paragraphs_of), ("py", prose_of)]:
        listed = subprocess.run(["git", "ls-files", f"*.{suffix}"], capture_output=True, check=True)
        for name in listed.stdout.decode().splitlines():
            is_deleted = not Path(name).exists()  # and not yet staged
            if is_deleted or name.startswith(SKIPPED) or NEVER.search(name):
                continue
            for line, prose in blocks_of(Path(name).read_text()):
                for pattern, expression in PATTERNS.items():
                    match = re.search(expression, prose)
                    if match and not any(sentence in prose for sentence in ALLOWED):
                        sentence = prose[max(match.start() - 30, 0) :]
                        yield f"{name}:{line}: {pattern}: {sentence:.120}"


if __name__ == "__main__":
    sys.exit("\n".join(findings()) or 0)
