"""How cost grows: first text against the length of a selection, a step's time against sequences, memory against
sessions. Each is a dictionary of series, each a list of points; what limits it stands beside it."""
import json
import statistics
import subprocess

from wire import Engine

from . import ours as our_side
from . import server as their_side
from .ours import PATIENCE
from .tasks import Supply, Task
from .workloads import at_once

LENGTHS = (100, 250, 500, 1000, 2000, 4000, 8000)
SEQUENCES = (1, 2, 4, 8, 16, 32)
# Tokens of each sequence.
WRITTEN = 64
SESSIONS = (1, 10, 30, 100, 300, 1000)
# Sessions of one connection; one more would be refused.
SESSIONS_EACH = 64
# The longest selection with its prompt and a few tokens of an answer.
CONTEXT = 8704


def first_text(settings, model, say):
    """A rephrase of one paragraph of so many tokens, of which all must be read before the first word is written."""
    supply = Supply(start=10_000)
    ours = our_side.Ours(settings.binary, model, ["--context", str(CONTEXT)])
    theirs = their_side.Server(settings.server, model, CONTEXT)
    series = {ours.name: [], theirs.name: []}
    runs = 1 if settings.quick else 3
    try:
        for side in (ours, theirs):
            side.ask(Task("rephrase", supply.fresh("selections"), "formal", limit=4))
        for length in LENGTHS:
            times = {side: [] for side in (ours, theirs)}
            for run in range(runs):
                task = Task("rephrase", paragraph(ours, supply, length), "formal", limit=4)
                for side in (ours, theirs) if run % 2 == 0 else (theirs, ours):
                    outcome = side.ask(task)
                    if outcome.first:
                        times[side].append(outcome.first * 1000)
                say()
            for side, found in times.items():
                if found:
                    series[side.name].append((length, statistics.median(found)))
    finally:
        ours.close()
        theirs.close()
    return {
        "title": "First text against the length of the selection", "x": "tokens of the selection", "y": "ms",
        "series": series, "limit": "the reading of the prompt: the engine's prefill rate"}


def paragraph(ours, supply, tokens):
    """Words without a line break that have about so many tokens, as the daemon counts them."""
    words = " ".join(supply.story(tokens * 6).split()).split(" ")
    count = ours.client(0).request("assistant/countTokens", {"text": " ".join(words)})["tokens"]
    return " ".join(words[:max(1, round(len(words) * tokens / count))])


def step_time(settings, model, say):
    """A step of so many sequences that write at the same time."""
    limit = batched_bench(settings, model)
    say()
    engine = Engine(settings.binary, model)
    # Warm: the prompt that all of them share is read once.
    mine = []
    try:
        generated(engine, 1, 8)
        for count in SEQUENCES:
            mine.append((count, generated(engine, count, WRITTEN)))
            say()
    finally:
        engine.close()
    server = their_side.Server(settings.server, model, more=["-np", str(max(SEQUENCES))])
    theirs = []
    try:
        server.ask(Task("chat", story_prompt(0), limit=4))
        for count in SEQUENCES:
            tasks = [Task("chat", story_prompt(number), limit=WRITTEN) for number in range(count)]
            outcomes = at_once(server, tasks).outcomes
            theirs.append((count, step([(one.first, one.seconds, one.completion_tokens) for one in outcomes])))
            say()
    finally:
        server.close()
    return {
        "title": "Time of a step against sequences", "x": "sequences that write", "y": "ms",
        "series": {"inkling": mine, "llama-server": theirs, "llama-batched-bench": limit},
        "limit": "the engine's own batches, which llama-batched-bench measures without a server"}


def story_prompt(number):
    return f"Tell a long story about a ship. Chapter {number + 1}."


def step(answers):
    """Milliseconds of a step from answers that were begun at once: (first text, end, tokens) of each, in seconds. All
    of the time counts in which any of them is written, and with it what reading the last prompts takes."""
    first = min(first for first, _, _ in answers)
    return (max(end for _, end, _ in answers) - first) * 1000 / max(1, max(tokens for _, _, tokens in answers) - 1)


def generated(engine, count, tokens):
    """A step of ours, from the engine alone."""
    replies = [
        engine.generate({
            "messages": [{"role": "user", "text": story_prompt(number)}], "maxTokens": tokens,
            "sampling": {"temperature": 0.8, "minP": 0.05, "seed": number + 1}})
        for number in range(count)]
    results = [engine.result(reply, PATIENCE) for reply in replies]
    return step([
        (reply.first, reply.seconds, result["completionTokens"]) for reply, result in zip(replies, results)])


def batched_bench(settings, model):
    program = settings.server.replace("llama-server", "llama-batched-bench")
    command = [
        program, "-m", model, "-c", "8192", "-npp", "32", "-ntg", str(WRITTEN), "-npl", ",".join(map(str, SEQUENCES)),
        "-fa", "on", "--output-format", "jsonl"]
    output = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE).stdout
    rows = [json.loads(line) for line in output.decode().splitlines() if line.startswith("{")]
    return [(row["pl"], row["t_tg"] * 1000 / row["tg"]) for row in rows]


def session_memory(settings, model, say):
    """The daemon and its engine, with sessions of two turns each."""
    said = Supply().story(1200)
    transcript = [
        {"role": role, "text": text}
        for role, text in (("prompt", said), ("response", said[:300]), ("prompt", "Go on."), ("response", said[:300]))]
    ours = our_side.Ours(settings.binary, model)
    points = []
    try:
        made = 0
        for wanted in SESSIONS:
            while made < wanted:
                ours.client(made // SESSIONS_EACH).request(
                    "session/create", {"sessionId": f"memory-{made}", "transcript": transcript})
                made += 1
            memory = ours.memory()
            if memory is not None:
                points.append((wanted, memory))
            say()
    finally:
        ours.close()
    return {
        "title": "Memory against sessions", "x": "sessions of two turns", "y": "MB (PSS)",
        "series": {"daemon and engine": points},
        "limit": "their transcripts in the daemon; the engine's cells are the same for all of them"}


CURVES = {"firstText": first_text, "stepTime": step_time, "sessionMemory": session_memory}
