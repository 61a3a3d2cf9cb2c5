"""The emblem of an entry: four shapes on a colour, the same wherever and whenever it is drawn.

The category decides the colour, so that entries of one look related; the slug decides the shapes.
"""

from dataclasses import dataclass
from zlib import crc32

# White on each has a contrast of 4.5 at least.
COLOURS = [
    *("#4338ca", "#6d28d9", "#a21caf", "#be185d", "#b91c1c", "#b45309"),
    *("#4d7c0f", "#15803d", "#0f766e", "#0369a1", "#1d4ed8", "#475569"),
]
# Paths in a square of one unit, from its upper left corner: quarters of a disc by the corner that
# they stand in, a disc, a diamond, a square, a ring.
SHAPES = [
    "h1a1 1 0 0 1-1 1z",
    "h1v1a1 1 0 0 1-1-1z",
    "m1 0v1h-1a1 1 0 0 1 1-1z",
    "a1 1 0 0 1 1 1h-1z",
    "m0 .5a.5.5 0 0 1 1 0a.5.5 0 0 1-1 0z",
    "m.5 0l.5.5-.5.5-.5-.5z",
    "m.15.15h.7v.7h-.7z",
    "h.5v1h-.5z",
]


@dataclass(frozen=True)
class Emblem:
    """`cells` are the shapes of the four quarters, as `(column, row, shape, is_pale)`."""

    colour: str
    cells: tuple

    def path(self, *, pale):
        """The SVG path of the pale shapes or of the others, in a square of two units."""
        return "".join(
            f"M{column} {row}{SHAPES[shape]}"
            for column, row, shape, is_pale in self.cells
            if is_pale == pale
        )


def emblem_of(entry):
    # Not hash(), which differs from process to process.
    bits = crc32(entry.slug.encode())
    cells = []
    for place in range(4):
        bits, shape = divmod(bits, len(SHAPES))
        bits, tone = divmod(bits, 3)
        cells.append((place % 2, place // 2, shape, tone == 0))
    colour = COLOURS[crc32(entry.category.encode()) % len(COLOURS)]
    return Emblem(colour, tuple(cells))
