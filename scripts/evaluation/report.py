"""Tables, targets and the same as JSON."""
import statistics

from .measure import FORM, measure_all

ROWS = {
    "rephrase": FORM + [
        "paragraphs", "no refusal as text", "protected text kept", "lost but warned", "language kept",
        "language kept or warned", "hidden characters told", "deltas equal the text", "loop", "empty", "cut short",
        "unchanged", "retried", "stock phrases", "invented words", "source words kept", "length ratio"],
    "summarize": [
        "exact count", "no preamble", "no enclosing quotes", "no template marks", "no refusal as text", "language kept",
        "language kept or warned", "deltas equal the text", "loop", "empty", "cut short", "retried", "invented words",
        "reduction"],
    "brainstorm": ["valid", "exact count", "distinct", "loop", "empty", "retried"],
    "generate": ["valid", "retried"],
}
MEDIANS = {"length ratio"}
# Of our own arm: (feature, row, comparison, bound). The other rows are of what was answered, so that must be all.
TARGETS = [(feature, "answered", ">=", 1.0) for feature in ROWS] + [
    (feature, row, "<=", 0.0) for feature, rows in ROWS.items() for row in ("empty", "cut short") if row in rows] + [
    ("rephrase", row, ">=", 1.0) for row in FORM] + [
    ("summarize", "no preamble", ">=", 1.0), ("summarize", "no enclosing quotes", ">=", 1.0),
    ("summarize", "exact count", ">=", 1.0), ("brainstorm", "valid", ">=", 1.0),
    ("brainstorm", "exact count", ">=", 1.0), ("brainstorm", "distinct", ">=", 1.0), ("generate", "valid", ">=", 1.0),
    ("rephrase", "loop", "<=", 0.0), ("summarize", "loop", "<=", 0.0), ("brainstorm", "loop", "<=", 0.0),
    ("rephrase", "language kept or warned", ">=", 1.0), ("summarize", "language kept or warned", ">=", 1.0),
    ("rephrase", "protected text kept", ">=", 0.9), ("rephrase", "lost but warned", ">=", 1.0),
    ("rephrase", "deltas equal the text", ">=", 1.0), ("summarize", "deltas equal the text", ">=", 1.0),
]


def measured(records):
    """The records of one arm that count, each with its figures: {feature: [(record, entry)]}."""
    result = {}
    for feature in ROWS:
        own = [record for record in records if record["feature"] == feature]
        # Those run a second time for their times would count twice.
        counted = [record for record in own if not record["timed"]] or own
        if counted:
            result[feature] = list(zip(counted, measure_all(counted)))
    return result


def figures(records, pairs):
    """All rows of one arm: {feature: {row: {"value", "of"}}}; `of` is how many records the question arose for. `pairs`
    is what `measured` gives for the records."""
    result = {}
    for feature, rows in ROWS.items():
        if feature not in pairs:
            continue
        own = [record for record in records if record["feature"] == feature]
        counted = [record for record, _ in pairs[feature]]
        entries = [entry for _, entry in pairs[feature]]
        table = {"runs": {"value": len(counted), "of": len(counted)}, "answered": average(entries, "answered")}
        for row in rows:
            table[row] = average(entries, row)
        kinds = [record["error"]["kind"] or str(record["error"]["code"]) for record in counted if record["error"]]
        table["errors"] = {"value": {kind: kinds.count(kind) for kind in sorted(set(kinds))}, "of": len(counted)}
        timed = [record for record in own if record["timed"] and not record["error"]]
        for row, key in (("first token, ms", "firstMs"), ("total, ms", "totalMs")):
            times = [record[key] for record in timed if record[key] is not None]
            table[row] = {"value": statistics.median(times) if times else None, "of": len(times)}
        result[feature] = table
    return result


def average(entries, row):
    values = [float(entry[row]) for entry in entries if entry.get(row) is not None]
    if not values:
        return {"value": None, "of": 0}
    value = statistics.median(values) if row in MEDIANS else sum(values) / len(values)
    return {"value": value, "of": len(values)}


def shown(row, entry):
    value = (entry or {}).get("value")
    if row == "runs":
        return str(value or 0)
    if row == "errors":
        return ", ".join("%s %d" % pair for pair in value.items()) if value else "none"
    if value is None:
        return "–"
    if row.endswith("ms"):
        return "%.0f" % value
    if row == "length ratio":
        return "%.2f" % value
    # Never rounded up to 100 or down to 0.
    text = "%.1f" % (value * 100)
    if text == "100.0" and value < 1 or text == "0.0" and value > 0:
        text = "%.3f" % (value * 100)
    return "%s %%%s" % (text, "" if entry["of"] == 1 else " of %d" % entry["of"])


def table(title, rows, columns):
    """A Markdown table. Rows are (name, [cells])."""
    lines = ["### " + title, "", "| | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    return lines + ["| %s | %s |" % (name, " | ".join(cells)) for name, cells in rows] + [""]


def feature_tables(arms, pairs):
    """One table for each feature; the arms side by side. `arms` is {name: records}, `pairs` {name: what `measured`
    gives for them}."""
    lines = []
    all_figures = {name: figures(records, pairs[name]) for name, records in arms.items()}
    for feature, rows in ROWS.items():
        columns = [name for name in arms if feature in all_figures[name]]
        if not columns:
            continue
        names = ["runs", "answered", "errors"] + rows + ["first token, ms", "total, ms"]
        cells = [(row, [shown(row, all_figures[name][feature].get(row)) for name in columns]) for row in names]
        lines += table(feature, cells, columns)
    return lines, all_figures


BREAKDOWN = ["answered", "form", "protected text kept", "language kept", "loop", "unchanged", "stock phrases",
             "invented words", "source words kept", "length ratio"]


def with_form(entry):
    """One figure for all form rows: whether every one that arose is in order."""
    values = [entry[row] for row in FORM if entry.get(row) is not None]
    return dict(entry, form=all(values)) if values else entry


def breakdown(name, pairs, title, key):
    """Rephrase of one arm, a line for each value of a key."""
    rows = {}
    for record, entry in pairs.get("rephrase", []):
        rows.setdefault(record[key], []).append(with_form(entry))
    cells = [(value, [shown(row, average(entries, row)).split(" of ")[0] for row in BREAKDOWN])
             for value, entries in rows.items()]
    return table("%s, by %s" % (name, title), cells, BREAKDOWN) if cells else []


def targets(ours, plain):
    """[(what, wanted, got, passed)]; rows that did not arise are left out."""
    result = []
    for feature, row, sign, bound in TARGETS:
        entry = ours.get(feature, {}).get(row)
        if entry is None or entry["value"] is None:
            continue
        passed = entry["value"] >= bound if sign == ">=" else entry["value"] <= bound
        result.append(("%s: %s" % (feature, row), "%s %.0f %%" % (sign, bound * 100), shown(row, entry), passed))
    for feature in ("rephrase", "summarize"):
        own, other = (side.get(feature, {}).get("invented words") for side in (ours, plain))
        if own and other and own["value"] is not None and other["value"] is not None:
            passed = own["value"] * 2 <= other["value"]
            result.append((
                "%s: invented words" % feature, "<= half of the plain prompt's %s" % shown("", other), shown("", own),
                passed))
    return result


def target_lines(result):
    lines = table("targets", [
        (what, [wanted, got, "pass" if passed else "FAIL"]) for what, wanted, got, passed in result],
        ["wanted", "got", ""])
    return lines + ["%d of %d targets reached" % (sum(1 for entry in result if entry[3]), len(result)), ""]
