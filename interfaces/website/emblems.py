"""The emblem of an entry: four shapes on a colour, the same wherever and whenever it is drawn.

The category decides the colour, so entries of one category look related. The slug decides the
shapes.
"""

from zlib import crc32

EDGE = 0.3  # of the colour around the shapes, in units
# White on each has a contrast of at least 4.5.
COLOURS = [
    *("#4338ca", "#6d28d9", "#a21caf", "#be185d", "#b91c1c", "#b45309"),
    *("#4d7c0f", "#15803d", "#0f766e", "#0369a1", "#1d4ed8", "#0e7490"),
    *("#7c2d12", "#3f6212", "#1e3a8a", "#581c87", "#831843", "#44403c"),
]
# SVG paths in a square of one unit, from its upper left corner.
SHAPES = [
    # Quarters of a disc, by the corner they are in.
    *("h1a1 1 0 0 1-1 1z", "h1v1a1 1 0 0 1-1-1z", "m1 0v1h-1a1 1 0 0 1 1-1z", "a1 1 0 0 1 1 1h-1z"),
    "m0 .5a.5.5 0 0 1 1 0a.5.5 0 0 1-1 0z",  # a disc
    "m.5 0l.5.5-.5.5-.5-.5z",
    "m.15.15h.7v.7h-.7z",
    "h.5v1h-.5z",
]


def emblem_of(slug, category):
    """The colour, and the SVG paths of the white and the pale shapes in a square of two units."""
    # Not hash(), which differs from process to process.
    bits, white, pale = crc32(slug.encode()), "", ""
    for place in range(4):
        bits, shape = divmod(bits, len(SHAPES))
        bits, tone = divmod(bits, 3)
        path = f"M{place % 2} {place // 2}{SHAPES[shape]}"
        white, pale = (white, pale + path) if tone == 0 else (white + path, pale)
    return COLOURS[crc32(category.encode()) % len(COLOURS)], white, pale
