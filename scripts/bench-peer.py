#!/usr/bin/env python3
"""The daemon beside llama-server: the same weights and messages, in turn in one run (A B B A), shown as ratios.

    scripts/bench-peer.py [--model FILE] [--pairs 6] [--only a,c] [--json FILE] [--plots FOLDER]
    scripts/bench-peer.py --quick       two pairs of each: a look, no measurement
    scripts/bench-peer.py --levers      ours alone, with each lever on against off
    scripts/bench-peer.py --curves      how cost grows; with --plots as pictures
    scripts/bench-peer.py --self-test   tests the reckoning and the pictures, runs nothing

A ratio below 1 says that Inkling is faster. `make bench-peer` builds what is needed first. Progress goes to standard
error.
"""
import argparse
import json
import os
import platform
import signal
import sys
import time

sys.dont_write_bytecode = True
from peer import curves, levers, plots, process, selftest  # noqa: E402
from peer import ours as our_side  # noqa: E402
from peer import server as their_side  # noqa: E402
from peer.machine import Others  # noqa: E402
from peer.outcome import Row  # noqa: E402
from peer.table import curve_lines, lines  # noqa: E402
from peer.tasks import Supply  # noqa: E402
from peer.workloads import WORKLOADS, Bench, fresh  # noqa: E402
from wire import PeerError  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALL = "a,b,c,d,e,f,g,h,i,j,k"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build", "release", "inkling"), help="inkling")
    parser.add_argument("--server", default=their_side.program(ROOT), help="llama-server")
    parser.add_argument("--model", help="the weights of both sides (default: what the daemon takes by itself)")
    parser.add_argument("--source", help="with --model: the file it was made of, for the second row of (a)")
    parser.add_argument("--pairs", type=int, default=6, help="pairs of each workload (default 6)")
    parser.add_argument("--quick", action="store_true", help="two pairs of each")
    parser.add_argument("--only", default=ALL, help="letters of the workloads, a comma between them")
    parser.add_argument("--levers", action="store_true", help="ours with each lever on against off")
    parser.add_argument("--curves", action="store_true", help="the curves instead of the workloads")
    parser.add_argument("--plots", metavar="FOLDER", help="writes pictures of what was measured there")
    parser.add_argument("--json", metavar="FILE", help="writes all figures there")
    parser.add_argument("--self-test", action="store_true", help="tests the reckoning and the pictures")
    settings = parser.parse_args()
    if unknown := set(settings.only.split(",")) - set(ALL.split(",")):
        parser.error("no such workload: " + ", ".join(sorted(unknown)))
    return settings


def say(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def dot(*_):
    say(".", end="")


def weights(settings):
    """The file of both sides, and the one it was made of."""
    if settings.model:
        return settings.model, settings.source
    return our_side.default_model(settings.binary)


def run(settings):
    """All rows of the workloads, and the conditions they were measured in."""
    pairs = 2 if settings.quick else settings.pairs
    model, source = weights(settings)
    ours, theirs = our_side.Ours(settings.binary, model), their_side.Server(settings.server, model)
    bench = Bench(ours, theirs, Supply(), pairs, dot)
    special = {
        "i": lambda: process.cold(bench, settings, model),
        "j": lambda: process.waiting(bench, settings, model, 10 if settings.quick else 30),
    }
    rows, busy = [], {}
    try:
        for key in settings.only.split(","):
            began, others = time.monotonic(), Others(ours, theirs)
            say(f"({key}) ", end="")
            try:
                rows += special[key]() if key in special else WORKLOADS[key](bench)
                if key == "a" and source and source != model:
                    rows += against_shipped(bench, settings, source)
            except (PeerError, OSError) as error:
                # What has been measured so far is not lost with it.
                rows.append(Row(key, "failed", "", note=str(error)))
            except KeyboardInterrupt:
                rows.append(Row(key, "ended before it was done", ""))
                break
            busy[key] = others.percent()
            say(f" {time.monotonic() - began:.0f} s{others_shown(busy[key])}")
        notes = conditions(ours, theirs, model, pairs) + prompt_notes(bench) + busy_notes(busy)
    finally:
        ours.close()
        theirs.close()
    return rows, notes


def against_shipped(bench, settings, source):
    """What a user of the server would run, who has prepared nothing."""
    usual = bench.theirs
    bench.theirs = their_side.Server(settings.server, source)
    try:
        return fresh(bench, "a", "the same, server on the model's own file", (0.4, None))
    finally:
        bench.theirs.close()
        bench.theirs = usual


def conditions(ours, theirs, model, pairs):
    return [
        f"weights of both sides: {os.path.basename(model)}, {ours.facts['quantization']}; {pairs} pairs, A B B A; "
        f"{os.cpu_count()} processors, {platform.machine()}",
        f"llama-server {' '.join(their_side.flags())}, {theirs.threads()} threads, all else its defaults; "
        "temperature 0",
    ]


def prompt_notes(bench):
    """Whether prompts.json is a true copy of our messages: a prompt of one call has the same tokens on both sides."""
    pairs = bench.prompts
    if not pairs:
        return []
    same = sum(1 for ours, theirs in pairs if ours == theirs)
    if same:
        return [f"the prompts have the same number of tokens on both sides in {same} of {len(pairs)} pairs; in the "
                "others ours drew more than one draft"]
    return ["NOTE: the prompts differ (%d tokens and %d, for instance): prompts.json is out of date" % pairs[0]]


def others_shown(percent):
    return "" if percent is None else f", others took {percent:.0f} % of the processors"


def busy_notes(busy):
    """Other programs spoil what is measured: threads that wait for each other lose the most."""
    spoilt = {key: percent for key, percent in busy.items() if percent is not None and percent >= 5}
    if not spoilt:
        return []
    return ["NOTE: other programs took processors meanwhile, in percent: " + ", ".join(
        f"({key}) {percent:.0f}" for key, percent in spoilt.items())]


def run_curves(settings):
    model, _ = weights(settings)
    result = {}
    for name, measure in curves.CURVES.items():
        began = time.monotonic()
        say(f"{name} ", end="")
        result[name] = measure(settings, model, dot)
        say(f" {time.monotonic() - began:.0f} s")
    return result, [f"weights of both sides: {os.path.basename(model)}"]


def write(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    settings = options()
    if settings.self_test:
        sys.exit(selftest.main())
    # As Ctrl-C does: no daemon and no server is left behind, and what has been measured is shown.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rows, grown = [], {}
    try:
        if settings.curves:
            grown, notes = run_curves(settings)
        elif settings.levers:
            model, _ = weights(settings)
            rows, notes = levers.measure(settings, model, Supply(), 2 if settings.quick else settings.pairs, dot)
        else:
            rows, notes = run(settings)
    except (PeerError, OSError) as error:
        sys.exit(f"error: {error}\n  try: make bench-peer")
    except KeyboardInterrupt:
        sys.exit(130)
    print("\n".join((lines(rows) if rows else []) + curve_lines(grown) + [""] + notes))
    if settings.json:
        write(settings.json, json.dumps(
            {"notes": notes, "rows": [vars(row) for row in rows], "curves": grown}, indent=1) + "\n")
    if settings.plots:
        pictures = {name: plots.curve(data) for name, data in grown.items()}
        if rows:
            pictures["ratios"] = plots.ratios(rows)
        for name, picture in pictures.items():
            write(os.path.join(settings.plots, name + ".svg"), picture)
        say("pictures: " + settings.plots)


if __name__ == "__main__":
    main()
