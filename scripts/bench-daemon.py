#!/usr/bin/env python3
"""Benchmarks of the whole daemon, as a client sees it: cold start, concurrency, the front end's share.

    scripts/bench-daemon.py [--binary .build/release/inkling] [--pairs 5] [--json]

Machines are shared and noisy, so compared figures are taken in turn in one run (A B B A) and shown as ratios with
minimum, median and maximum. Absolute figures are of this machine at this moment.
"""
import argparse
import json
import os
import time

from bench_client import Daemon, memory_mb, spread

TEXTS = [
    "gonna be late tmrw cuz the train's broken again, sorry. can u start w/o me and send the notes after?",
    "The committee met on Tuesday to discuss the new proposal and decided to wait for the budget numbers.",
    "The old lighthouse keeper counted the steps every night, and there were always three hundred and four.",
    "I dont think we should of merged this before the release. Can we revert it and talk on monday?",
    "You need to install the thing first, then you run it and it just kind of works most of the time.",
    "In a harbor town where every lantern is alive, an old brass lamp has not been lit in forty years.",
    "Memory use fell by a third after the change, and the slowest requests are now twice as fast as before.",
    "She was built to guide ships, but the town replaced its lanterns with electric lights long ago.",
]


def rephrase(text, max_tokens=48, **more):
    return {"text": text, "tone": "formal", "options": {"maxTokens": max_tokens}, **more}


def cpu_seconds(pid):
    try:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return None


def cold(binary, runs):
    initialize, first_token, first_result = [], [], []
    for _ in range(runs):
        daemon = Daemon(binary)
        daemon.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        initialize.append((time.monotonic() - daemon.started) * 1000)
        token = []
        daemon.request(
            "assistant/rephrase", rephrase(TEXTS[0], partialResultToken="t"),
            lambda _: token or token.append(time.monotonic() - daemon.started))
        first_token.append(token[0] * 1000)
        first_result.append((time.monotonic() - daemon.started) * 1000)
        daemon.close()
    return {
        "initializeMs": spread(initialize), "firstTokenMs": spread(first_token), "firstResultMs": spread(first_result)}


def memory(binary):
    daemon = Daemon(binary)
    daemon.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    status = daemon.wait_until_loaded()
    daemon.replies({daemon.send("assistant/rephrase", rephrase(text)) for text in TEXTS})
    result = {
        "frontEndMB": memory_mb(daemon.process.pid), "engineMB": memory_mb(status["engine"]["processId"])}
    daemon.close()
    return result


def concurrency(binary, pairs):
    """Eight requests at once against the same eight one after another."""
    daemon = Daemon(binary)
    daemon.wait_until_loaded()
    round_number = [0]

    def texts():
        # New text each time, so that neither side finds the other's prompts in the prefix cache.
        round_number[0] += 1
        return [f"Take {round_number[0]}: {text}" for text in TEXTS]

    def one_after_another():
        batch = texts()
        begin = time.monotonic()
        results = [daemon.request("assistant/rephrase", rephrase(text)) for text in batch]
        return time.monotonic() - begin, sum(r["usage"]["completionTokens"] for r in results)

    def at_once():
        batch = texts()
        begin = time.monotonic()
        ids = {daemon.send("assistant/rephrase", rephrase(text)) for text in batch}
        results = daemon.replies(ids).values()
        return time.monotonic() - begin, sum(r["usage"]["completionTokens"] for r in results)

    one_after_another()
    times, per_token = [], []
    for index in range(pairs):
        first, second = (at_once, one_after_another) if index % 2 == 0 else (one_after_another, at_once)
        (t1, n1), (t2, n2) = first(), second()
        if index % 2 == 1:
            (t1, n1), (t2, n2) = (t2, n2), (t1, n1)
        times.append(t1 / t2)
        per_token.append((t1 / n1) / (t2 / n2))
    daemon.close()
    return {"ratioOfTotalTime": spread(times), "ratioPerToken": spread(per_token)}


def front_end_share(binary, runs):
    daemon = Daemon(binary)
    daemon.wait_until_loaded()
    shares, rates = [], []
    for index in range(runs):
        before, begin = cpu_seconds(daemon.process.pid), time.monotonic()
        if before is None:
            return None
        tokens = 0
        for round_number in range(3):
            ids = {
                daemon.send(
                    "assistant/rephrase",
                    rephrase(f"{index}.{round_number} {text}", 96, partialResultToken=str(n)))
                for n, text in enumerate(TEXTS)}
            tokens += sum(r["usage"]["completionTokens"] for r in daemon.replies(ids, lambda _: None).values())
        wall = time.monotonic() - begin
        shares.append((cpu_seconds(daemon.process.pid) - before) / wall)
        rates.append(tokens / wall)
    daemon.close()
    return {"shareOfOneCore": spread(shares), "tokensPerSecond": spread(rates)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/release/inkling")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs that are compared (default 5)")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    results = {}
    for name, measure in [
        ("cold start", lambda: cold(arguments.binary, arguments.pairs)),
        ("memory", lambda: memory(arguments.binary)),
        ("eight at once against one after another", lambda: concurrency(arguments.binary, arguments.pairs)),
        ("front end while streaming eight at once", lambda: front_end_share(arguments.binary, arguments.pairs)),
    ]:
        results[name] = measure()
        if not arguments.json:
            print(name)
            for key, value in (results[name] or {}).items():
                shown = "not known on this system" if value is None else "  ".join(
                    f"{part} {number:.3g}" for part, number in value.items())
                print(f"  {key:24} {shown}")
    if arguments.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
