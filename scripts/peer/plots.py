"""Pictures of a run, as SVG written here: ratios with their spread, and curves."""
import math
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 60
COLORS = ["#1f6feb", "#c9510c", "#6e7781", "#2da44e"]
INK, GRID, GOOD, BAD = "#24292f", "#d0d7de", "#1a7f37", "#cf222e"


class Picture:
    """An SVG in the making, on a white ground, so that it is the same on a dark page."""

    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = []
        self.text(LEFT, 22, title, size=15, weight="bold")

    def line(self, x1, y1, x2, y2, color=GRID, width=1, dash=""):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
            f'stroke-width="{width}"{dash}/>')

    def dot(self, x, y, color, radius=3.5):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}"/>')

    def path(self, points, color):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="2"/>')

    def text(self, x, y, text, anchor="start", size=12, color=INK, weight="normal"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" '
            f'fill="{color}">{escape(str(text))}</text>')

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="sans-serif">',
            f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>', *self.parts, "</svg>", ""])


class Scale:
    """Places on an axis, for numbers above 0."""

    def __init__(self, low, high, start, end, is_logarithmic):
        self.of = math.log10 if is_logarithmic else float
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value):
        low, high = self.of(self.low), self.of(self.high)
        share = (self.of(value) - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)


def ticks(low, high):
    """Round numbers from 0 to `high`, about six of them."""
    rough = max(high - low, 1e-9) / 6
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [low + step * index for index in range(math.ceil((high - low) / step) + 1)]


def curve(data):
    """A picture of one curve: x is logarithmic, both axes are named."""
    picture = Picture(WIDTH, HEIGHT, data["title"])
    points = [point for series in data["series"].values() for point in series]
    if not points:
        picture.text(LEFT, HEIGHT / 2, "not known")
        return picture.svg()
    values = ticks(0, max(y for _, y in points))
    x = Scale(min(x for x, _ in points), max(x for x, _ in points), LEFT, WIDTH - RIGHT, True)
    y = Scale(0, values[-1], HEIGHT - BOTTOM, TOP, False)
    for value in values:
        picture.line(LEFT, y(value), WIDTH - RIGHT, y(value))
        picture.text(LEFT - 8, y(value) + 4, f"{value:g}", "end")
    for value in sorted({x for x, _ in points}):
        picture.line(x(value), TOP, x(value), HEIGHT - BOTTOM)
        picture.text(x(value), HEIGHT - BOTTOM + 18, f"{value:g}", "middle")
    picture.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 22, data["x"], "middle")
    picture.text(12, TOP - 12, data["y"])
    picture.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "limited by " + data["limit"], "middle", 11, COLORS[2])
    for number, (name, series) in enumerate(data["series"].items()):
        color = COLORS[number % len(COLORS)]
        picture.path([(x(at), y(value)) for at, value in series], color)
        for at, value in series:
            picture.dot(x(at), y(value), color)
        picture.line(LEFT + 14, TOP + 14 + 18 * number, LEFT + 36, TOP + 14 + 18 * number, color, 3)
        picture.text(LEFT + 42, TOP + 18 + 18 * number, name)
    return picture.svg()


def ratios(rows):
    """A picture of all ratios: a bar from the least to the most, a dot at the median, a mark at the target."""
    rows = [row for row in rows if row.ratios and row.unit != "%"]
    left, step = 330, 24
    height = TOP + step * len(rows) + 50
    picture = Picture(WIDTH, height, "Time of inkling, in times of llama-server (left of 1 is faster)")
    high = max([2.0] + [min(max(row.ratios), 8) for row in rows])
    low = min([0.1] + [max(min(row.ratios), 0.01) for row in rows])
    x = Scale(low, high, left, WIDTH - RIGHT, True)
    bottom = height - 40
    for value in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5):
        if low <= value <= high:
            is_one = value == 1
            picture.line(x(value), TOP, x(value), bottom, INK if is_one else GRID, 1.5 if is_one else 1)
            picture.text(x(value), bottom + 16, f"{value:g}", "middle")
    for number, row in enumerate(rows):
        y = TOP + step * number + step / 2
        color = {True: GOOD, False: BAD, None: COLORS[2]}[row.is_met]
        picture.text(left - 10, y + 4, f"({row.workload}) {row.what}, {row.figure}"[:52], "end", 11)
        clipped = [min(max(value, low), high) for value in (min(row.ratios), row.median, max(row.ratios))]
        picture.line(x(clipped[0]), y, x(clipped[2]), y, color, 3)
        picture.dot(x(clipped[1]), y, color, 5)
        if row.target is not None:
            picture.line(x(row.target), y - 8, x(row.target), y + 8, INK, 2)
    picture.text(left, height - 6, "bar: least to most, dot: median, upright mark: target", size=11, color=COLORS[2])
    return picture.svg()
