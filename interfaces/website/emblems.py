"""The emblem of an entry: four shapes on a colour, the same wherever and whenever it is drawn.

The category decides the colour, so entries of one category look related. The slug decides the
shapes.
"""

from dataclasses import dataclass
from zlib import crc32

from PIL import Image, ImageDraw

EDGE = 0.3  # of the colour around the shapes, in units
# White on each has a contrast of at least 4.5.
COLOURS = [
    *("#4338ca", "#6d28d9", "#a21caf", "#be185d", "#b91c1c", "#b45309"),
    *("#4d7c0f", "#15803d", "#0f766e", "#0369a1", "#1d4ed8", "#0e7490"),
    *("#7c2d12", "#3f6212", "#1e3a8a", "#581c87", "#831843", "#44403c"),
]
# In a square of one unit: the SVG path from its upper left corner, and the same shape for Pillow.
SHAPES = [
    # Quarters of a disc, by the corner they are in.
    ("h1a1 1 0 0 1-1 1z", "pieslice", (-1, -1, 1, 1), {"start": 0, "end": 90}),
    ("h1v1a1 1 0 0 1-1-1z", "pieslice", (0, -1, 2, 1), {"start": 90, "end": 180}),
    ("m1 0v1h-1a1 1 0 0 1 1-1z", "pieslice", (0, 0, 2, 2), {"start": 180, "end": 270}),
    ("a1 1 0 0 1 1 1h-1z", "pieslice", (-1, 0, 1, 2), {"start": 270, "end": 360}),
    ("m0 .5a.5.5 0 0 1 1 0a.5.5 0 0 1-1 0z", "ellipse", (0, 0, 1, 1), {}),
    ("m.5 0l.5.5-.5.5-.5-.5z", "polygon", (0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5), {}),
    ("m.15.15h.7v.7h-.7z", "rectangle", (0.15, 0.15, 0.85, 0.85), {}),
    ("h.5v1h-.5z", "rectangle", (0, 0, 0.5, 1), {}),
]


@dataclass(frozen=True)
class Emblem:
    """`cells` are the shapes of the four quarters, as `(column, row, shape, is_pale)`."""

    colour: str
    cells: list

    def path(self, *, pale):
        """The SVG path of the pale shapes or of the others, in a square of two units."""
        return "".join(
            f"M{column} {row}{shape[0]}"
            for column, row, shape, is_pale in self.cells
            if is_pale == pale
        )

    def draw(self, size):
        """The emblem as a Pillow image, `size` pixels wide."""
        # Drawn larger, because Pillow's shapes have rough edges.
        unit = size
        edge = round(EDGE * unit)
        picture = Image.new("RGB", (2 * (unit + edge), 2 * (unit + edge)), self.colour)
        for column, row, (_, method, corners, options), is_pale in self.cells:
            cell = Image.new("L", (unit, unit))
            points = [round(corner * unit) for corner in corners]
            getattr(ImageDraw.Draw(cell), method)(points, fill=128 if is_pale else 255, **options)
            picture.paste("#fff", (edge + column * unit, edge + row * unit), cell)
        return picture.resize((size, size), Image.Resampling.LANCZOS)


def emblem_of(slug, category):
    # Not hash(), which differs from process to process.
    bits = crc32(slug.encode())
    cells = []
    for place in range(4):
        bits, shape = divmod(bits, len(SHAPES))
        bits, tone = divmod(bits, 3)
        cells.append((place % 2, place // 2, SHAPES[shape], tone == 0))
    return Emblem(COLOURS[crc32(category.encode()) % len(COLOURS)], cells)
