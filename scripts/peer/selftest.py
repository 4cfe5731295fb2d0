"""Tests of the reckoning, of the texts and of the pictures. Each case could fail: wrong ones are among them."""
import xml.dom.minidom

from . import curves, plots, server, table, tasks
from .outcome import Outcome, Row, Sample, time_rows


def sample(first, seconds, text, prompt_tokens=100, failure=None):
    return Sample([Outcome(first, seconds, text, prompt_tokens, failure=failure)], seconds)


def ratio_cases():
    once, twice = sample(0.1, 1, "x" * 10), sample(0.2, 2, "x" * 10)
    drawn = sample(0.1, 4, "x" * 10, prompt_tokens=400)
    rows = {row.figure: row for row in time_rows("a", "", [(once, twice), (drawn, twice), (once, once)], 0.8, 0.9)}
    failed = time_rows("a", "", [(sample(None, 0, "", failure="refused"), once)], 0.8, 0.9)
    longer = time_rows("a", "", [(sample(0.1, 2, "x" * 20), sample(0.1, 1, "x" * 10))])
    return [
        ("first text", rows["first text"].ratios, [0.5, 0.5, 1]),
        ("total", rows["total"].ratios, [0.5, 2, 1]),
        ("pairs with one draft alone", rows["total, one draft"].ratios, [0.5, 1]),
        ("the median meets a target", rows["first text"].is_met, True),
        ("the median misses a target", rows["total"].is_met, False),
        ("what failed does not count", [row.ratios for row in failed], [[], []]),
        ("what failed is neither met nor missed", failed[0].is_met, None),
        ("what failed is told", failed[0].note, "1 of 1 pairs failed"),
        ("time for a character", longer[1].ratios, [1]),
        ("a step", round(curves.step([(0.1, 1.0, 10), (0.2, 1.1, 11)]), 6), 100),
    ]


def task_cases():
    supply = tasks.Supply()
    texts = [supply.fresh("selections") for _ in range(700)] + [supply.fresh("letters") for _ in range(150)]
    stories = supply.story(9000), supply.story(9000)
    borders = [[at for at in range(9000) if text[at:at + 2] == "\n\n"] for text in stories]
    task = tasks.Task("rephrase", "abc", "formal")
    return [
        ("texts are fresh", len(set(texts)), len(texts)),
        ("stories have one shape", borders[0], borders[1]),
        ("stories differ", stories[0] == stories[1], False),
        ("messages take turns", [one["role"] for one in task.messages()],
         ["system", "user", "assistant", "user", "assistant", "user"]),
        ("the limit of a short text", task.most_tokens(), 48 + 2 * 3),
        ("white space in JSON is no output", server.compacted('{ "a" :\n 1 }'), '{"a":1}'),
        ("JSON that was cut off", server.compacted('{"a":  "b'), '{"a": "b'),
    ]


def picture_cases():
    row = Row("a", "text & <more>", "total", 0.5)
    for ratio in (0.02, 0.4, 90):
        row.add(ratio, 1)
    data = {"title": "t", "x": "x", "y": "y", "limit": "l", "series": {"one": [(1, 5), (100, 7)], "none": []}}
    pictures = [plots.ratios([row]), plots.ratios([]), plots.curve(data), plots.curve({**data, "series": {"one": []}})]
    marks = [len(xml.dom.minidom.parseString(picture).getElementsByTagName("circle")) for picture in pictures]
    return [
        ("a mark for each median and point", marks, [1, 0, 2, 0]),
        ("round numbers", plots.ticks(0, 47), [0, 10, 20, 30, 40, 50]),
        ("a line for each row", len(table.lines([row, Row("b", "", "total")])), 4),
        ("a line for each x", len(table.curve_lines({"c": data})), 6),
    ]


def main():
    cases = ratio_cases() + task_cases() + picture_cases()
    wrong = [(name, got, wanted) for name, got, wanted in cases if got != wanted]
    for name, got, wanted in wrong:
        print(f"{name}: {str(got)[:300]}, not {str(wanted)[:300]}")
    print(f"{len(cases) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0
