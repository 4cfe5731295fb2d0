#!/usr/bin/env python3
"""Benchmarks of the features: what a prewarm and a session save, what alternatives and a schema cost, a long summary.

    scripts/bench-features.py [--binary .build/release/inkling] [--pairs 5] [--json]
    scripts/bench-features.py --only summary --characters 200000 --json

Compared figures are taken in turn in one run and shown as ratios with minimum, median and maximum.
"""
import argparse
import sys
import time

sys.dont_write_bytecode = True
from bench_figures import default_pairs, memory_mb, report, shown, spread  # noqa: E402
from wire import Daemon, PeerError  # noqa: E402

# For the longest of the summaries.
PATIENCE = 4 * 3600

SENTENCES = [
    "The ferry crossed the lake four times a day, and nobody in the village remembered a time before it.",
    "Its captain counted the passengers under his breath and waited when the number was odd.",
    "In winter the ice was cut with long saws, and the children sold the blocks at the market.",
    "The new bridge was planned for six years, argued over for five, and built in a single summer.",
    "On the last evening the whole village came aboard, and the lake was full of lanterns.",
]


def long_text(characters):
    paragraphs, length, number = [], 0, 0
    while length < characters:
        number += 1
        lines = [f"Year {1850 + number % 150}, note {number}."] + SENTENCES[number % 3:] + SENTENCES[:number % 4]
        paragraphs.append(" ".join(lines))
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)[:characters]


def selection(number, sentences=4):
    return f"Entry {number}. " + " ".join(SENTENCES[:sentences])


def prewarm(daemon, pairs):
    """First token of a rephrase: the same prompt prewarmed against fresh."""
    ratios, fresh_ms, warm_ms = [], [], []

    def first_token(number, is_warm):
        params = {"text": selection(number), "tone": "formal", "options": {"maxTokens": 8}}
        if is_warm:
            daemon.request("assistant/prewarm", {"method": "assistant/rephrase", "params": params})
        usage = daemon.request("assistant/rephrase", params)["usage"]
        return usage["timeToFirstTokenMs"]

    first_token(1, False)
    for index in range(pairs):
        numbers = (1000 + 2 * index, 1001 + 2 * index)
        order = [False, True] if index % 2 == 0 else [True, False]
        times = {is_warm: first_token(number, is_warm) for number, is_warm in zip(numbers, order)}
        fresh_ms.append(times[False])
        warm_ms.append(times[True])
        ratios.append(times[True] / times[False])
    return {"freshMs": spread(fresh_ms), "prewarmedMs": spread(warm_ms), "ratio": spread(ratios)}


def alternatives(daemon, pairs):
    """Time of a rephrase with three and five alternatives against one."""
    ratios = {3: [], 5: []}

    def run(number, count):
        begin = time.monotonic()
        daemon.request(
            "assistant/rephrase",
            {"text": selection(number, 2), "tone": "formal", "alternatives": count})
        return time.monotonic() - begin

    for index in range(pairs):
        number = 2000 + 10 * index
        one = run(number, 1)
        for step, count in enumerate(ratios):
            ratios[count].append(run(number + step + 1, count) / one)
    return {f"{count}Against1": spread(values) for count, values in ratios.items()}


def constrained(daemon, pairs):
    """Tokens per second after the first one: JSON by a schema against free text."""
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "maxLength": 60},
            "people": {"type": "array", "items": {"type": "string", "maxLength": 20}, "minItems": 2, "maxItems": 4},
            "year": {"type": "integer", "minimum": 1800, "maximum": 2100},
            "summary": {"type": "string", "minLength": 100, "maxLength": 200},
        },
        "required": ["title", "people", "year", "summary"], "additionalProperties": False,
    }

    def rate(usage):
        return (usage["completionTokens"] - 1) * 1000 / max(1, usage["durationMs"] - usage["timeToFirstTokenMs"])

    ratios, by_schema, free = [], [], []
    for index in range(pairs):
        def json_rate():
            return rate(daemon.request(
                "assistant/generate", {"prompt": selection(3000 + index), "schema": schema})["usage"])

        def plain_rate():
            result = daemon.request(
                "assistant/rephrase",
                {"text": selection(5000 + index), "tone": "proofread", "options": {"maxTokens": 120, "seed": 1}})
            return None if any(w["code"] == "retried" for w in result["warnings"]) else rate(result["usage"])

        json_value, plain = json_rate(), plain_rate()
        by_schema.append(json_value)
        if plain:
            free.append(plain)
            ratios.append(json_value / plain)
    return {"jsonTokensPerSecond": spread(by_schema)} | (
        {"freeTokensPerSecond": spread(free), "ratio": spread(ratios)} if free else {})


def followup(daemon, pairs):
    """First token of a second turn behind 3,000 tokens of history against that of the first turn, which reads them."""
    ratios, figures = [], {"firstTurnMs": [], "followUpMs": [], "historyTokens": [], "cachedTokens": []}
    for index in range(pairs):
        name, options = f"followup-{index}", {"maxTokens": 8, "seed": 1}
        daemon.request("session/create", {"sessionId": name})
        # About five characters a token.
        text = f"Note {index}. " + long_text(14_500)
        usages = [
            daemon.request("assistant/chat", {"sessionId": name, "message": said, "options": options})["usage"]
            for said in (text, "And what happened then?")]
        figures["firstTurnMs"].append(usages[0]["timeToFirstTokenMs"])
        figures["followUpMs"].append(usages[1]["timeToFirstTokenMs"])
        figures["historyTokens"].append(usages[0]["contextUsed"])
        figures["cachedTokens"].append(usages[1]["cachedTokens"])
        ratios.append(usages[1]["timeToFirstTokenMs"] / usages[0]["timeToFirstTokenMs"])
        daemon.request("session/delete", {"sessionId": name})
    return {key: spread(values) for key, values in figures.items()} | {"ratio": spread(ratios)}


def rephrase_first(daemon, number):
    """Sends a short rephrase."""
    token = f"first {number}"
    params = {"text": selection(number), "tone": "formal", "options": {"maxTokens": 8}, "partialResultToken": token}
    return daemon.send("assistant/rephrase", params, token)


def first_times(daemon, replies):
    """When the first text was seen, and when the first token was there by the engine's count."""
    tokens = [daemon.result(reply, PATIENCE)["usage"]["timeToFirstTokenMs"] for reply in replies]
    return {"SeenMs": spread([reply.first * 1000 for reply in replies]), "FirstTokenMs": spread(tokens)}


def summary(daemon, characters, runs):
    """A long text, and rephrases that are sent one after another while it is worked on."""
    daemon.result(rephrase_first(daemon, 6000))
    alone = []
    for index in range(runs):
        alone.append(rephrase_first(daemon, 6001 + index))
        daemon.result(alone[-1])
    during = []

    def on_progress(value):
        if value.get("kind") == "report" and len(during) < runs and all(reply.whole for reply in during):
            during.append(rephrase_first(daemon, 7000 + len(during)))

    params = {"text": long_text(characters), "count": 3, "workDoneToken": "long"}
    reply = daemon.send("assistant/summarize", params, "long", on_progress)
    result = daemon.result(reply, PATIENCE)
    figures = {
        "characters": characters, "parts": result["parts"], "seconds": reply.seconds,
        "promptTokens": result["usage"]["promptTokens"], "completionTokens": result["usage"]["completionTokens"],
        "percentSaved": result["reduction"]["percent"],
        "frontEndPeakMB": (memory_mb(daemon.process.pid) or {}).get("peak"),
        "enginePeakMB": (memory_mb(daemon.engine_process()) or {}).get("peak"),
    }
    figures.update({"rephraseAlone" + key: value for key, value in first_times(daemon, alone).items()})
    figures.update({"rephraseMeanwhile" + key: value for key, value in first_times(daemon, during).items()})
    figures["table"] = summary_table(figures)
    return figures


def summary_table(figures):
    """The figures as a line of a table; of several runs the median."""
    columns = [
        ("characters", "characters"), ("parts", "parts"), ("seconds", "seconds"),
        ("front end, peak MB", "frontEndPeakMB"), ("engine, peak MB", "enginePeakMB"),
        ("first token alone, ms", "rephraseAloneFirstTokenMs"),
        ("first token meanwhile, ms", "rephraseMeanwhileFirstTokenMs"),
    ]
    values = [figures[key] for _, key in columns]
    cells = [shown(value["median"] if isinstance(value, dict) else value) for value in values]
    return ["| %s |" % " | ".join(row) for row in ([name for name, _ in columns], ["---"] * len(columns), cells)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/release/inkling")
    parser.add_argument("--pairs", type=int, default=default_pairs(), help="pairs that are compared (default 5)")
    parser.add_argument(
        "--characters", type=int, default=20_000, help="of the text that is summarised (default 20,000)")
    parser.add_argument(
        "--only", choices=["prewarm", "followup", "alternatives", "schema", "summary"], help="one measurement")
    parser.add_argument("--json", action="store_true", help="JSON on standard output, tables on standard error")
    arguments = parser.parse_args()
    try:
        daemon = Daemon(arguments.binary)
        daemon.model_facts()
        measurements = {
            "prewarm": (
                "first token of a rephrase, prewarmed against fresh", lambda: prewarm(daemon, arguments.pairs)),
            "followup": (
                "first token of a second turn behind 3,000 tokens, against the first turn",
                lambda: followup(daemon, arguments.pairs)),
            "alternatives": ("alternatives", lambda: alternatives(daemon, arguments.pairs)),
            "schema": ("JSON by a schema against free text", lambda: constrained(daemon, arguments.pairs)),
            "summary": ("a long summary", lambda: summary(daemon, arguments.characters, arguments.pairs)),
        }
        report([entry for key, entry in measurements.items() if arguments.only in (None, key)], arguments.json)
        daemon.close()
    except (PeerError, OSError) as error:
        sys.exit("error: %s\n  try: make build, then `inkling doctor`" % error)


if __name__ == "__main__":
    main()
