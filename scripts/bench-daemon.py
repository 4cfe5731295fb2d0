#!/usr/bin/env python3
"""Benchmarks of the whole daemon, as a client sees it: cold start, concurrency, the front end's share.

    scripts/bench-daemon.py [--binary .build/release/inkling] [--pairs 5] [--json]

Machines are shared and noisy, so compared figures are taken in turn in one run (A B B A) and shown as ratios with
minimum, median and maximum. Absolute figures are of this machine at this moment.
"""
import argparse
import contextlib
import glob
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from bench_figures import cpu_seconds, default_pairs, memory_mb, report, spread  # noqa: E402
from wire import Daemon, PeerError  # noqa: E402

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


def cold_start(binary, cache):
    """Starts a daemon with a cache folder and rephrases; gives milliseconds from the start to the answer of
    `initialize`, to the first token and to the result, and how many tokens of the prompt were known."""
    daemon = Daemon(binary, environment={"XDG_CACHE_HOME": cache})
    initialized = time.monotonic()
    reply = daemon.send("assistant/rephrase", rephrase(TEXTS[0], partialResultToken="t"), "t")
    usage = daemon.result(reply)["usage"]
    moments = [initialized, reply.started + reply.first, time.monotonic()]
    daemon.close()
    return [(moment - daemon.started) * 1000 for moment in moments] + [usage["cachedTokens"]]


@contextlib.contextmanager
def cache_folder():
    """A cache folder of its own, with the user's prepared models and nothing else."""
    usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/inkling")
        os.symlink(usual + "/inkling/prepared", folder + "/inkling/prepared")
        yield folder


def cold(binary, pairs):
    """Cold starts that find the instructions on the disk, as all but a user's first do, against those that do not."""
    kept, fresh = [], []
    with cache_folder() as warm:
        daemon = Daemon(binary, environment={"XDG_CACHE_HOME": warm})
        daemon.request("assistant/rephrase", rephrase(TEXTS[1]))
        deadline = time.monotonic() + 10
        while not glob.glob(warm + "/inkling/prefixes/*.prefix"):
            if time.monotonic() > deadline:
                raise PeerError("nothing of the instructions is kept in %s" % warm)
            time.sleep(0.01)
        daemon.close()
        for index in range(2 * pairs):
            # A B B A: neither side is always the first of a pair.
            if index % 4 in (0, 3):
                kept.append(cold_start(binary, warm))
            else:
                with cache_folder() as empty:
                    fresh.append(cold_start(binary, empty))

    def figures(runs, column):
        return spread([run[column] for run in runs])

    return {
        "initializeMs": figures(kept + fresh, 0),
        "firstTokenMs": figures(kept, 1), "firstTokenMsWithoutKept": figures(fresh, 1),
        "ratioOfFirstToken": spread([a[1] / b[1] for a, b in zip(kept, fresh)]),
        "firstResultMs": figures(kept, 2), "firstResultMsWithoutKept": figures(fresh, 2),
        "keptTokens": kept[0][3]}


def memory(binary):
    daemon = Daemon(binary)
    daemon.model_facts()
    at_once(daemon, TEXTS)
    result = {"frontEndMB": memory_mb(daemon.process.pid), "engineMB": memory_mb(daemon.engine_process())}
    daemon.close()
    return result


def at_once(daemon, texts, max_tokens=48, streams=False):
    """Rephrases all of the texts at the same time; gives how many tokens were written."""
    replies = [
        daemon.send("assistant/rephrase", rephrase(text, max_tokens, **({"partialResultToken": n} if streams else {})))
        for n, text in enumerate(texts)]
    return sum(daemon.result(reply)["usage"]["completionTokens"] for reply in replies)


def concurrency(binary, pairs):
    """Eight requests at once against the same eight one after another."""
    daemon = Daemon(binary)
    daemon.model_facts()
    round_number = [0]

    def texts():
        # New text each time, so that neither side finds the other's prompts in the prefix cache.
        round_number[0] += 1
        return [f"Take {round_number[0]}: {text}" for text in TEXTS]

    def one_after_another():
        batch = texts()
        begin = time.monotonic()
        tokens = sum(at_once(daemon, [text]) for text in batch)
        return time.monotonic() - begin, tokens

    def together():
        batch = texts()
        begin = time.monotonic()
        tokens = at_once(daemon, batch)
        return time.monotonic() - begin, tokens

    one_after_another()
    times, per_token = [], []
    for index in range(pairs):
        first, second = (together, one_after_another) if index % 2 == 0 else (one_after_another, together)
        (t1, n1), (t2, n2) = first(), second()
        if index % 2 == 1:
            (t1, n1), (t2, n2) = (t2, n2), (t1, n1)
        times.append(t1 / t2)
        per_token.append((t1 / n1) / (t2 / n2))
    daemon.close()
    return {"ratioOfTotalTime": spread(times), "ratioPerToken": spread(per_token)}


def front_end_share(binary, runs):
    daemon = Daemon(binary)
    daemon.model_facts()
    shares, rates = [], []
    for index in range(runs):
        before, begin = cpu_seconds(daemon.process.pid), time.monotonic()
        if before is None:
            return None
        tokens = 0
        for round_number in range(3):
            tokens += at_once(daemon, [f"{index}.{round_number} {text}" for text in TEXTS], 96, streams=True)
        wall = time.monotonic() - begin
        shares.append((cpu_seconds(daemon.process.pid) - before) / wall)
        rates.append(tokens / wall)
    daemon.close()
    return {"shareOfOneCore": spread(shares), "tokensPerSecond": spread(rates)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=".build/release/inkling")
    parser.add_argument("--pairs", type=int, default=default_pairs(), help="pairs that are compared (default 5)")
    parser.add_argument("--json", action="store_true", help="JSON on standard output, tables on standard error")
    arguments = parser.parse_args()
    try:
        report([
            ("cold start", lambda: cold(arguments.binary, arguments.pairs)),
            ("memory", lambda: memory(arguments.binary)),
            ("eight at once against one after another", lambda: concurrency(arguments.binary, arguments.pairs)),
            ("front end while streaming eight at once", lambda: front_end_share(arguments.binary, arguments.pairs)),
        ], arguments.json)
    except (PeerError, OSError) as error:
        sys.exit("error: %s\n  try: make build, then `inkling doctor`" % error)


if __name__ == "__main__":
    main()
