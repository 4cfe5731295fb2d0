"""The workloads (a) to (h) and (k): what both sides are given in turn, and the targets of each."""
import difflib
import subprocess
import sys
import threading
import time

from .outcome import Outcome, Row, Sample, time_rows
from .tasks import Task

MIXED = [
    ("selections", "rephrase", "formal"), ("letters", "rephrase", "proofread"), ("selections", "rephrase", "friendly"),
    ("topic", "brainstorm", "character"),
]
SUMMARY_CHARACTERS = 60_000
# About five characters a token.
HISTORY_CHARACTERS = 14_500


# On a machine that is busy with something else, the pairs of one row are cut short after so many seconds.
LONGEST = 150
LEAST_PAIRS = 2


class Bench:
    """Two sides and the texts that they are given. `say` tells who waits how far it is."""

    def __init__(self, ours, theirs, supply, pairs, say):
        self.ours, self.theirs, self.supply, self.pairs, self.say = ours, theirs, supply, pairs, say
        #: Tokens that both sides counted for the same prompt; ours may be the sum of several calls.
        self.prompts = []

    def alternate(self, count, make, run):
        """A B B A: `make` gives what both sides are given, `run(side, it)` a sample. Pairs of ours and theirs."""
        result, began = [], time.monotonic()
        for index in range(count):
            if index >= LEAST_PAIRS and time.monotonic() - began > LONGEST:
                break
            given = make(index)
            order = [self.ours, self.theirs] if index % 2 == 0 else [self.theirs, self.ours]
            samples = {side: run(side, given) for side in order}
            pair = samples[self.ours], samples[self.theirs]
            result.append(pair)
            self.say(pair)
        return result

    def measured(self, make, run=None, count=None):
        """As `alternate`, after a pair that is not counted: it warms both sides up."""
        run = run or (lambda side, task: alone(side.ask(task)))
        self.alternate(1, make, run)
        return self.alternate(count or self.pairs, make, run)

    def compare_prompts(self, pairs):
        """Keeps the sizes of prompts that should be the same."""
        for ours, theirs in pairs:
            if not ours.failures + theirs.failures:
                self.prompts.append((ours.prompt_tokens, theirs.prompt_tokens))

    def selection(self, tone="formal"):
        return Task("rephrase", self.supply.fresh("letters" if tone == "proofread" else "selections"), tone)


def alone(outcome):
    return Sample([outcome], outcome.seconds)


def at_once(side, tasks):
    """A task for each of several clients, sent at the same moment."""
    # Connected before the clock runs.
    side.client(len(tasks) - 1)
    outcomes = [Outcome(failure="no answer") for _ in tasks]
    gate = threading.Barrier(len(tasks) + 1)

    def work(number):
        gate.wait()
        try:
            outcomes[number] = side.ask(tasks[number], number)
        except Exception as error:
            outcomes[number] = Outcome(failure=str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(tasks))]
    for thread in threads:
        thread.start()
    gate.wait()
    began = time.monotonic()
    for thread in threads:
        thread.join()
    return Sample(outcomes, time.monotonic() - began)


def fresh(bench, key="a", what="rephrase, fresh", targets=(0.8, 0.9)):
    pairs = bench.measured(lambda _: bench.selection())
    bench.compare_prompts(pairs)
    return time_rows(key, what, pairs, *targets)


def another_tone(bench):
    def run(side, task):
        side.ask(task)
        return alone(side.ask(Task("rephrase", task.text, "friendly")))

    pairs = bench.measured(lambda _: bench.selection(), run)
    return time_rows("b", "the same text, another tone", pairs, 0.5, 0.9)


def prewarmed(bench):
    rows = []
    for is_exact, what, target in [(False, "prewarmed, tone unknown", 0.5), (True, "prewarmed, tone known", 0.2)]:
        def run(side, task, is_exact=is_exact):
            side.prewarm(task, is_exact)
            return alone(side.ask(task))

        rows += time_rows("c", what, bench.measured(lambda _: bench.selection(), run), target, 0.8)
    return rows


def followup(bench):
    told = bench.supply.story(HISTORY_CHARACTERS)
    talks = {side: side.conversation() for side in (bench.ours, bench.theirs)}
    for say in talks.values():
        say(Task("chat", told, limit=48))

    def run(side, index):
        return alone(talks[side](Task("chat", bench.supply.question(index), limit=64)))

    return time_rows("d", "follow-up, 3,000 tokens before", bench.measured(lambda index: index, run), 1.0, 1.0)


def brainstorm(bench):
    pairs = []
    for kind in ("ideas", "character", "storyArc"):
        count = max(1, bench.pairs // 2)
        pairs += bench.measured(lambda _, kind=kind: Task("brainstorm", bench.supply.topic(), kind), count=count)
    bench.compare_prompts(pairs)
    return time_rows("e", "brainstorm, three kinds", pairs, None, 0.65)


def proofread(bench):
    """Letters with a few mistakes. Where a side has not corrected but written something else, the pair is of another
    kind, and does not count."""
    tasks = []

    def make(_):
        tasks.append(bench.selection("proofread"))
        return tasks[-1]

    pairs = bench.measured(make)
    bench.compare_prompts(pairs)
    # The first task was of the pair that warms up.
    alike = [
        pair for task, pair in zip(tasks[1:], pairs)
        if all(is_nearly(task.text, sample.outcomes[0].text) for sample in pair)]
    rows = time_rows("f", "proofread, 300 to 700 characters", alike, None, 0.6)
    for row in rows:
        row.note = f"{len(alike)} of {len(pairs)} texts were corrected and no more by both sides"
    return rows


def is_nearly(source, text):
    return difflib.SequenceMatcher(None, source, text, autojunk=False).ratio() >= 0.85


def crowd(bench, key="g", clients=(4, 8), targets=(0.8, 0.9)):
    rows = []
    for count in clients:
        def make(_, count=count):
            return [mixed(bench, number) for number in range(count)]

        rows += time_rows(key, f"{count} clients at once, mixed", bench.measured(make, at_once), *targets)
    return rows


def mixed(bench, number):
    source, kind, tone = MIXED[number % len(MIXED)]
    return Task(kind, bench.supply.topic() if source == "topic" else bench.supply.fresh(source), tone)


def summary(bench):
    """Time for the text that is read: how long the summary is says nothing of the work. Each text of this shape is cut
    at the same places, so the parts of the first one, which ours reads first, are those of all."""
    row = Row("h", "summary of 60,000 characters", "total", 0.95)
    parts = []

    def run(side, text):
        outcome = side.summarize(text, 3, parts)
        parts[:] = parts or outcome.parts
        return alone(outcome)

    for ours, theirs in bench.alternate(bench.pairs, lambda _: bench.supply.story(SUMMARY_CHARACTERS), run):
        row.note = f"{len(parts)} parts"
        if ours.failures + theirs.failures:
            row.note = (ours.failures + theirs.failures)[0]
        else:
            row.add(ours.seconds * 1000, theirs.seconds * 1000, tokens=(ours.tokens, theirs.tokens))
    return [row]


def busy(bench):
    """(a) and (g) while another program keeps one core busy."""
    spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        return fresh(bench, "k", "rephrase, one core busy", (0.6, 0.6)) + crowd(bench, "k", (4,), (0.6, 0.6))
    finally:
        spinner.kill()
        spinner.wait()


WORKLOADS = {
    "a": fresh, "b": another_tone, "c": prewarmed, "d": followup, "e": brainstorm, "f": proofread, "g": crowd,
    "h": summary, "k": busy,
}
