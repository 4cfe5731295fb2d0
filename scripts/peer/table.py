"""The table of a run."""
import statistics

HEAD = [
    "", "workload", "figure", "pairs", "min", "median", "max", "target", "", "ours", "llama-server", "tokens", "note"]


def lines(rows):
    cells = [HEAD] + [cells_of(row) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in cells]
    rule = "| " + " | ".join("-" * max(width, 3) for width in widths) + " |"
    return [text[0], rule, *text[1:]]


def cells_of(row):
    target = "" if row.target is None else f"{row.target:g}"
    ours, theirs = middle(row.ours, row.unit), middle(row.theirs, row.unit)
    if not row.ratios:
        nothing = "" if row.ours else "not known"
        return [row.workload, row.what, row.figure, "", "", nothing, "", target, "", ours, theirs, "", row.note]
    low, median, high = (f"{value:.2f}" for value in (min(row.ratios), row.median, max(row.ratios)))
    tokens = " / ".join(f"{statistics.median(side):.0f}" for side in zip(*row.tokens))
    return [
        row.workload, row.what, row.figure, str(len(row.ratios)), low, median, high, target,
        {True: "met", False: "missed", None: ""}[row.is_met], ours, theirs, tokens, row.note]


def curve_lines(curves):
    """The points of curves, a line for each x."""
    result = []
    for data in curves.values():
        names = list(data["series"])
        series = [dict(points) for points in data["series"].values()]
        result += ["", f"{data['title']} ({data['y']}), limited by {data['limit']}"]
        result.append("| " + " | ".join([data["x"], *names]) + " |")
        result.append("| " + " | ".join(["---"] * (len(names) + 1)) + " |")
        for x in sorted({x for points in series for x in points}):
            result.append("| " + " | ".join(
                [str(x), *(f"{points[x]:.3g}" if x in points else "" for points in series)]) + " |")
    return result


def middle(values, unit):
    if not values:
        return ""
    value = statistics.median(values)
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
