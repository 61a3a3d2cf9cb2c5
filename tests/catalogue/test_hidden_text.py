"""Characters that are refused, that are hidden, and that a text needs (contract 28.1, 28.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marketplace.hidden_text import (
    described,
    has_refused,
    hidden_runs,
    refused_characters,
    visible,
)


def tags(message):
    return "".join(chr(0xE0000 + ord(letter)) for letter in message)


def selectors(message):
    """The message as bytes, each hidden in a variation selector."""
    return "".join(chr(0xE0100 + byte - 16) for byte in message.encode())


def flag(region):
    return f"\U0001f3f4{tags(region)}\U000e007f"


REFUSED = {
    "64 tags": ("a" + tags("i" * 64), f'hidden tag characters that say "{"i" * 64}"'),
    "tags": ("a" + tags("ignore all"), 'hidden tag characters that say "ignore all"'),
    "tags between letters": (
        f"a{tags('hi')}b{tags(' you')}",
        'hidden tag characters that say "hi you"',
    ),
    "more than 200 tags": (
        tags("i" * 201),
        f'hidden tag characters that say "{"i" * 200}…"',
    ),
    "tags that say nothing": ("a\U000e0001\U000e007f", "hidden tag characters"),
    "a flag that fonts lack": (flag("usca"), 'hidden tag characters that say "usca"'),
    "a flag without its end": (
        "\U0001f3f4" + tags("gbeng"),
        'hidden tag characters that say "gbeng"',
    ),
    "a flag without its emoji": (
        tags("gbeng") + "\U000e007f",
        'hidden tag characters that say "gbeng"',
    ),
    "tags after a flag": (flag("gbeng") + tags("run"), 'hidden tag characters that say "run"'),
    "selectors": (
        "\U0001f600" + selectors("ignore all"),
        'hidden variation selectors that say "ignore all"',
    ),
    "one selector": ("a\U000e0100", "hidden variation selectors"),
    "a second selector": ("\u845b\U000e0100\U000e0101", "hidden variation selectors"),
    "a selector at the start": ("\U000e01ef", "hidden variation selectors"),
    "an override": ("a\u202eb\u202c", "U+202E RIGHT-TO-LEFT OVERRIDE"),
    "the other override": ("\u05d0\u202da", "U+202D LEFT-TO-RIGHT OVERRIDE"),
    "tags behind a word joiner": ("a\u2060" + tags("run"), 'hidden tag characters that say "run"'),
    "tags behind a variable": ("\u2063" + tags("run"), 'hidden tag characters that say "run"'),
    "selectors behind a filler": (
        "\u3164" + selectors("run"),
        'hidden variation selectors that say "run"',
    ),
    "an override behind private use": ("\U000f0000\u202d", "U+202D LEFT-TO-RIGHT OVERRIDE"),
    "a null": ("a\0", "U+0000 control character"),
    "backspaces": ("a\b\b", "U+0008 control character (2 times)"),
    "an escape": ("\x1b[2J", "U+001B control character"),
    "a form feed": ("a\fb", "U+000C control character"),
    "a delete": ("\x7f", "U+007F control character"),
    "a C1 control": ("a\x85b", "U+0085 control character"),
    "a noncharacter": ("a\ufdd0", "U+FDD0 no character"),
    "the last code point": ("\U0010ffff", "U+10FFFF no character"),
}
HONEST = {
    "ASCII": "a\tb\r\nc\rd\n",
    "a byte order mark": "\ufeff---\nname: a\n",
    "line and paragraph separators": "a\u2028b\u2029c",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Persian with a mark": "\u0645\u0650\u200c a",
    "Urdu with a mark of direction": "\u06c1\u06d2\u200f (1)",
    "Arabic": "\u0627\u0644\u0639\u064e\u0631\u064e\u0628\u0650\u064a\u0651\u0629 \u0640",
    "Arabic letter mark": "\u0627\u061c 1-2",
    "Kurdish": "\u0632\u06cc\u0627\u062a\u0631\u200c\u06cc",
    "Uyghur": "\u0626\u06c7\u064a\u063a\u06c7\u0631\u0686\u06d5",
    "Dhivehi": "\u078b\u07a8\u0788\u07ac\u0780\u07a8 \u200f(1)",
    "Yiddish": "\u05d9\u05d9\u05b4\u05d3\u05d9\u05e9",
    "Hebrew": "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd (abc)\u200f.",
    "Hebrew with isolates": "\u05e9\u05dc\u05d5\u05dd \u2066a \u2067\u05d1\u2069 c\u2069",
    "Hebrew with an embedding": "\u05e9\u05dc\u05d5\u05dd \u202aabc\u202c \u05d0",
    "Syriac": "\u0710\u0308\u200d",
    "N'Ko": "\u07d2\u200d \u07de\u07cf",
    "Hindi": "\u0915\u094d\u200d\u0937 \u0939\u093f\u0928\u094d\u200c\u0926\u0940",
    "Bengali": "\u09b0\u200d\u09cd\u09af\u09be\u09ac",
    "Sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3 \u0dbd\u0d82\u0d9a\u0dcf",
    "Malayalam": "\u0d28\u0d4d\u200d",
    "Kannada": "\u0cb0\u0ccd\u200c\u0c95",
    "Tamil": "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd \u0b95\u0bcd\u200c\u0bb7",
    "Telugu": "\u0c24\u0c46\u0c32\u0c41\u0c17\u0c41 \u0c15\u0c4d\u200c\u0c37",
    "Gujarati": "\u0a97\u0ac1\u0a9c\u0ab0\u0abe\u0aa4\u0ac0 \u0a95\u0acd\u200d\u0ab7",
    "Punjabi": "\u0a2a\u0a70\u0a1c\u0a3e\u0a2c\u0a40",
    "Burmese": "\u1019\u103c\u1014\u103a\u1019\u102c",
    "Lao": "\u0e9e\u0eb2\u0eaa\u0eb2\u0ea5\u0eb2\u0ea7",
    "Tibetan": "\u0f56\u0f7c\u0f51\u0f0b\u0f66\u0f90\u0f51\u0f0b",
    "Khmer": "\u1780\u17d2\u200c\u1780",
    "Thai": "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a",
    "Mongolian": "\u182e\u1823\u1829\u182d\u1823\u182f",
    "Mongolian with a joiner": "\u1820\u200d \u200d\u1821",
    "Mongolian with a vowel separator": "\u1828\u180e\u1820",
    "Mongolian with a selector": "\u1820\u180b\u182e",
    "Chinese, Japanese, Korean": "\u6f22\u5b57\u3001\u304b\u306a\u3000\ud55c\uae00",
    "Japanese, decomposed": "\u304b\u3099 \u30cf\u309a",
    "Korean in single letters": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "Russian": "\u041e\u043d \u0438 nginx, API-\u043a\u043b\u044e\u0447",
    "Ukrainian": "\u0407\u0457 \u0454\u0432\u0440\u043e, \u0456 \u0442\u0430\u043a",
    "Serbian": "\u0408\u0430 \u0441\u0430\u043c \u043e\u0432\u0434\u0435, \u0410 \u0438 B",
    "Greek": "\u0395\u03bb\u03bb\u03b7\u03bd\u03b9\u03ba\u03ac, \u0391 \u03ba\u03b1\u03b9 B",
    "Armenian": "\u0540\u0561\u0575\u0565\u0580\u0565\u0576",
    "Georgian": "\u10e5\u10d0\u10e0\u10d7\u10e3\u10da\u10d8",
    "Amharic": "\u12a0\u121b\u122d\u129b",
    "Vietnamese": "Ti\u1ebfng Vi\u1ec7t, Tie\u0302\u0301ng Vie\u0323\u0302t",
    "an ideograph's variant": "\u845b\U000e0100\u57ce \u9089\U000e011f",
    "a compatibility ideograph": "\u5351\ufe00",
    "a full-width comma to the right": "\uff0c\ufe01",
    "a zero with a stroke": "0\ufe00",
    "emoji": "\u26a0\ufe0f \u2764\ufe0e \u2714\ufe0f \U0001f600",
    "a keycap": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "a skin tone": "\U0001f469\U0001f3fd\u200d\U0001f4bb \U0001f44b\U0001f3ff",
    "a couple with skin tones": (
        "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3ff"
    ),
    "a flag of an emoji and a sign": "\U0001f3f3\ufe0f\u200d\u26a7\ufe0f",
    "emoji beside Hebrew": "\u05d0 \U0001f468\u200d\U0001f467\u200f.",
    "a runner with a direction": "\U0001f3c3\u200d\u2642\ufe0f\u200d\u27a1\ufe0f",
    "a rainbow and a pirate flag": "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f3f4\u200d\u2620\ufe0f",
    "flags of countries": "\U0001f1e9\U0001f1ea\U0001f1ef\U0001f1f5",
    "three flags": f"{flag('gbeng')}{flag('gbsct')} {flag('gbwls')}",
    "soft hyphens in a word": "Sil\u00adben\u00adtren\u00adnung",
    "braille": "\u2801\u2800\u2803",
    "a picture in braille": "\u2800\u2800\u28c0\u28e4\u2800 \u2800",
}
HIDDEN = {
    "zero-width spaces": ("a\u200b\u200bb", "U+200B ZERO WIDTH SPACE (2 times)"),
    "a joiner between Latin letters": ("a\u200db", "U+200D ZERO WIDTH JOINER"),
    "a non-joiner after a decomposed letter": (
        "o\u0303\u200ca",
        "U+200C ZERO WIDTH NON-JOINER",
    ),
    "joiners beside joiners": (
        "\u0645\u200c\u200c\u200c\u0645",
        "U+200C ZERO WIDTH NON-JOINER",
    ),
    "a joiner after a direction mark": ("a\u061c\u200cb", "U+061C ARABIC LETTER MARK, U+200C"),
    "a joiner after an emoji": ("\U0001f468\u200da", "U+200D ZERO WIDTH JOINER"),
    "two joiners in an emoji": (
        "\U0001f468\u200d\u200d\U0001f469",
        "U+200D ZERO WIDTH JOINER (2 times)",
    ),
    "a word joiner": ("a\u2060b", "U+2060 WORD JOINER"),
    "invisible operators": ("a\u2062b", "U+2062 INVISIBLE TIMES"),
    "a byte order mark inside": ("a\ufeffb", "U+FEFF ZERO WIDTH NO-BREAK SPACE"),
    "a selector without a base": ("a\ufe0f", "U+FE0F VARIATION SELECTOR-16"),
    "two selectors": ("\u26a0\ufe0f\ufe0f", "U+FE0F VARIATION SELECTOR-16"),
    "a selector that no list has": ("\u26a0\ufe05", "U+FE05 VARIATION SELECTOR-6"),
    "a selector that no ideograph has": ("\u845b\U000e0120", "U+E0120 VARIATION SELECTOR-49"),
    "a Mongolian selector": ("a\u180b", "U+180B MONGOLIAN FREE VARIATION SELECTOR ONE"),
    "a Mongolian separator": ("a\u180eb", "U+180E MONGOLIAN VOWEL SEPARATOR"),
    "a soft hyphen after a word": ("word\u00ad next", "U+00AD SOFT HYPHEN"),
    "a mark of direction": ("a\u200fb", "U+200F RIGHT-TO-LEFT MARK"),
    "a mark on another line": ("\u05d0\na\u200e", "U+200E LEFT-TO-RIGHT MARK"),
    "an open isolate": ("\u05d0\u2066a", "U+2066 LEFT-TO-RIGHT ISOLATE"),
    "an isolate that nothing opens": ("\u05d0\u2069a", "U+2069 POP DIRECTIONAL ISOLATE"),
    "an embedding closed as an isolate": ("\u05d0\u202aa\u2069", "U+202A LEFT-TO-RIGHT EMBEDDING"),
    "private use": ("a\ue0a0", "U+E0A0 private use"),
    "private use beyond the first plane": ("\U00100000", "U+100000 private use"),
    "a blank braille pattern": ("a\u2800b", "U+2800 BRAILLE PATTERN BLANK"),
    "a Hangul filler": ("a\u3164", "U+3164 HANGUL FILLER"),
    "a half-width Hangul filler": ("a\uffa0", "U+FFA0 HALFWIDTH HANGUL FILLER"),
    "a grapheme joiner": ("a\u034f", "U+034F COMBINING GRAPHEME JOINER"),
    "an annotation": ("a\ufff9b", "U+FFF9 INTERLINEAR ANNOTATION ANCHOR"),
    "an unassigned one": ("a\U000e0080", "U+E0080 no character"),
}


def test_refused_characters():
    for name, (text, what) in REFUSED.items():
        assert refused_characters(f"one\r\ntwo\n{text}\n") == [(3, what)], name
        assert has_refused(text), name


def test_characters_that_a_text_needs():
    for name, text in HONEST.items():
        assert described(text, hidden_runs(text)) == [], name
        assert visible(text) == text, name
        assert not has_refused(text), name


def test_hidden_characters():
    for name, (text, what) in HIDDEN.items():
        found = described(text, hidden_runs(text))
        assert len(found) == 1, name
        assert found[0][1].startswith(what), name
        assert not has_refused(text), name


def test_lines_are_counted_as_the_file_has_them():
    text = "\u200b\r\n\u200b\r\u200b\n\n\u200b\u2028\u200b"
    lines = [line for line, _ in described(text, hidden_runs(text))]
    assert lines == [1, 2, 3, 5]


def test_an_isolate_that_another_line_closes():
    text = "\u05d0\u2066a\n\u05d1\u2069"
    assert described(text, hidden_runs(text)) == [
        (1, "U+2066 LEFT-TO-RIGHT ISOLATE"),
        (2, "U+2069 POP DIRECTIONAL ISOLATE"),
    ]


def test_many_kinds_in_a_line():
    text = "\u200b\u2060\u2061\u2062\u2063\u2064\u034f\u200b"
    names = (
        "U+200B ZERO WIDTH SPACE (2 times), U+2060 WORD JOINER, U+2061 FUNCTION APPLICATION, "
        "U+2062 INVISIBLE TIMES, U+2063 INVISIBLE SEPARATOR and 2 other kinds"
    )
    assert described(text, hidden_runs(text)) == [(1, names)]


def test_hidden_characters_are_shown():
    text = f"<b>\u200b{tags('hi')}\u0645\u06cc\u200c\u062e"
    assert visible(text) == "<b>[U+200B][U+E0068][U+E0069]\u0645\u06cc\u200c\u062e"


REFUSED_LETTERS = [
    *map(chr, {*range(0x20), *range(0x7F, 0xA0)} - {*b"\t\n\r"}),
    *"\u202d\u202e\ufdd0\ufffe\uffff\U0001fffe\U0010ffff",
    *map(tags, "\x01 aZ~"),
    "a\U000e0100",
    "a\U000e01ef",
]


# Characters that are hidden themselves come often.
ANY = st.text(st.characters() | st.characters(categories=["Cf", "Cc", "Co", "Mn", "Cn"]))


@given(ANY, st.sampled_from(REFUSED_LETTERS), ANY)
def test_what_is_refused_is_refused_in_any_text(before, letter, after):
    text = before + letter + after
    assert has_refused(text)
    assert refused_characters(text)
    assert not has_refused(visible(text))


IDEOGRAPH = "\u845b"
MIXED = st.text(
    st.sampled_from(
        f"a\n{IDEOGRAPH}\U0001f3f4\u200b\u2060\ufe0f\u05d0\u2066\u2069\u202e\ue000\u3164\u0301\x01\ufdd0"
        f"\u0645\u200d\u180b\u2800\ufeff\U000e0041\U000e007f\U000e0100\U000e0120\U000e0fff\U0010fffe"
    ),
    max_size=6,
)


@given(MIXED)
def test_a_text_is_refused_if_it_has_a_refused_character(text):
    texts = zip(f" {text}", text, strict=False)
    assert has_refused(text) == any(
        letter in "\u202e\x01\ufdd0\U000e0041\U000e007f\U0010fffe"
        or (letter in "\U000e0100\U000e0120" and before != IDEOGRAPH)
        for before, letter in texts
    )


@given(st.text(alphabet=st.characters(categories=["Cf", "Cc", "Co", "Mn", "Lo", "Ll", "So"])))
def test_nothing_hidden_is_left_in_what_is_shown(text):
    assert visible(visible(text)) == visible(text)


HOSTILE = ["\u200b", "\u05d0\u200f", "\u2066", "\u200e\n", "\u2800", "\x01\u200b", "\u26a0\ufe0f"]


@pytest.mark.parametrize("part", HOSTILE)
def test_a_long_hostile_text_is_read(part):
    """It would take minutes if the time were quadratic."""
    text = part * (2**16 // len(part))
    assert len(visible(text)) >= len(text)
