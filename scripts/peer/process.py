"""The workloads that are about processes: (i) from nothing to the first text, (j) what waiting costs, and memory."""
import os
import shutil
import tempfile
import time

from bench_figures import cpu_seconds

from . import ours as our_side
from . import server as their_side
from .outcome import Row
from .tasks import Task
from .workloads import at_once, mixed

# Not a ratio, as the others are.
ITSELF = "our percentage itself"


def cold(bench, settings, model):
    """Both read the file from the page cache: the first pair, which is not counted, has filled it."""
    task = bench.selection
    first = Row("i", "cold start", "first text", 0.8)
    initialized = Row("i", "cold start", "initialize", note="ours alone")
    for index in range(bench.pairs + 1):
        given = task()
        starts = {
            "ours": lambda: our_side.cold_start(settings.binary, model, given),
            "theirs": lambda: their_side.cold_start(settings.server, model, given)}
        order = ["ours", "theirs"] if index % 2 == 0 else ["theirs", "ours"]
        times = {side: starts[side]() for side in order}
        bench.say(None)
        if index > 0:
            answer, text = times["ours"]
            first.add(text * 1000, times["theirs"] * 1000)
            initialized.ours.append(answer * 1000)
    return [first, initialized]


def waiting(bench, settings, model, seconds=30):
    """Memory after work, and computing while nothing is asked. Each side has a file of its own here: processes that map
    the same one share its pages, and each would be counted for half of them."""
    idle = Row("j", f"idle for {seconds} s", "of a core", 0.2, unit="%", note=ITSELF)
    memory = Row("j", "after eight clients", "memory (PSS)", 1.0, unit="MB")
    front_end = Row("j", "front end, eight streams", "of a core", 3, unit="%", note=ITSELF)
    with tempfile.TemporaryDirectory(prefix="inkling-bench-") as folder:
        copies = [shutil.copy(model, os.path.join(folder, f"{side}.gguf")) for side in ("ours", "theirs")]
        sides = our_side.Ours(settings.binary, copies[0]), their_side.Server(settings.server, copies[1])
        try:
            for side in sides:
                at_once(side, [mixed(bench, number) for number in range(8)])
            figures = [side.memory() for side in sides]
            share = front_end_share(bench, sides[0])
            before = [side.cpu() for side in sides]
            began = time.monotonic()
            time.sleep(seconds)
            wall = time.monotonic() - began
            spent = [side.cpu() for side in sides]
        finally:
            for side in sides:
                side.close()
    if None not in figures:
        memory.add(*figures)
    if None not in before:
        shares = [(after - start) / wall * 100 for after, start in zip(spent, before)]
        idle.add(*shares, ratio=shares[0])
    if share is not None:
        front_end.ours, front_end.ratios = [share], [share]
    return [idle, memory, front_end]


def front_end_share(bench, ours):
    """What the front end computes while eight answers stream, in percent of a core; None where that is not known."""
    before, began = cpu_seconds(ours.process.pid), time.monotonic()
    at_once(ours, [Task("rephrase", bench.supply.fresh("letters"), "proofread", limit=96) for _ in range(8)])
    if before is None:
        return None
    return (cpu_seconds(ours.process.pid) - before) / (time.monotonic() - began) * 100
