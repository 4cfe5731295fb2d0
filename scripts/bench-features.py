#!/usr/bin/env python3
"""Benchmarks of the features: what a prewarm saves, what alternatives cost, what a schema costs, a long summary.

    scripts/bench-features.py [--binary .build/release/inkling] [--pairs 5] [--characters 200000] [--json]

Compared figures are taken in turn in one run and shown as ratios with minimum, median and maximum.
"""
import argparse
import json
import time

from bench_client import Daemon, memory_mb, spread

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


def summary(daemon, characters):
    """A long text, and a rephrase that is sent while its parts are read."""
    alone = daemon.request(
        "assistant/rephrase", {"text": selection(6000), "tone": "formal", "options": {"maxTokens": 8}})
    begin = time.monotonic()
    identifier = daemon.send(
        "assistant/summarize", {"text": long_text(characters), "count": 3, "workDoneToken": "w"})
    during = []

    def on_progress(params):
        message = params["value"].get("message", "")
        if message.startswith("Reading part") and len(during) < 1 and not message.startswith("Reading part 1 "):
            during.append(daemon.send(
                "assistant/rephrase", {"text": selection(6001), "tone": "formal", "options": {"maxTokens": 8}}))

    found = daemon.replies({identifier}, on_progress)
    seconds = time.monotonic() - begin
    result = found[identifier]
    status = daemon.request("model/status")
    figures = {
        "characters": characters, "parts": result["parts"], "seconds": seconds,
        "promptTokens": result["usage"]["promptTokens"], "completionTokens": result["usage"]["completionTokens"],
        "percentSaved": result["reduction"]["percent"],
        "frontEndMB": (memory_mb(daemon.process.pid) or {}).get("rss"),
        "engineMB": (memory_mb(status["engine"]["processId"]) or {}).get("rss"),
        "rephraseAloneFirstTokenMs": alone["usage"]["timeToFirstTokenMs"],
    }
    if during and daemon.other.get(during[0]):
        figures["rephraseMeanwhileFirstTokenMs"] = daemon.other[during[0]]["usage"]["timeToFirstTokenMs"]
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/release/inkling")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs that are compared (default 5)")
    parser.add_argument(
        "--characters", type=int, default=20_000, help="of the text that is summarised (default 20,000)")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    daemon = Daemon(arguments.binary)
    daemon.wait_until_loaded()
    results = {}
    for name, measure in [
        ("first token of a rephrase, prewarmed against fresh", lambda: prewarm(daemon, arguments.pairs)),
        ("alternatives", lambda: alternatives(daemon, arguments.pairs)),
        ("JSON by a schema against free text", lambda: constrained(daemon, arguments.pairs)),
        ("a long summary", lambda: summary(daemon, arguments.characters)),
    ]:
        results[name] = measure()
        if not arguments.json:
            print(name, flush=True)
            for key, value in results[name].items():
                shown = value if not isinstance(value, dict) else "  ".join(
                    f"{part} {number:.3g}" for part, number in value.items())
                shown = f"{shown:.4g}" if isinstance(shown, float) else shown
                print(f"  {key:30} {shown}", flush=True)
    if arguments.json:
        print(json.dumps(results, indent=2))
    daemon.close()


if __name__ == "__main__":
    main()
