"""Runs the items of an arm and gives one record for each."""
import json
import sys
import time

from wire import Daemon, Engine

from . import plan


class Progress:
    """On standard error: a line that grows on a terminal, a line for each tenth elsewhere."""

    def __init__(self, title, total):
        self.title = title
        self.total = total
        self.done = 0
        self.started = time.monotonic()

    def step(self):
        self.done += 1
        ended = self.done == self.total
        if sys.stderr.isatty():
            sys.stderr.write("\r%s %d/%d%s" % (self.title, self.done, self.total, "\n" if ended else ""))
        elif ended or self.done * 10 // self.total > (self.done - 1) * 10 // self.total:
            seconds = time.monotonic() - self.started
            sys.stderr.write("%s %d/%d, %.0f s\n" % (self.title, self.done, self.total, seconds))
        sys.stderr.flush()


class DaemonArm:
    """Our pipeline, through the daemon, with partial results."""

    name = "inkling"

    def __init__(self, binary, model):
        self.peer = Daemon(binary, model)
        self.facts = self.peer.model_facts()
        self.absent = set()

    def start(self, item, seed):
        method, params = plan.daemon_request(item, seed)
        if method not in self.peer.methods:
            self.absent.add(method)
            return None
        token = "run-%d" % self.peer.next_id
        return self.peer.send(method, dict(params, partialResultToken=token), token)

    def fill(self, record, reply):
        message = reply.whole
        if "error" in message:
            error = message["error"]
            record["error"] = {
                "code": error.get("code"), "kind": (error.get("data") or {}).get("kind"), "message": error["message"]}
            return
        result = message["result"]
        record["output"] = result.get("text", result.get("rendered"))
        record["value"] = result.get("value")
        record["warnings"] = [warning["code"] for warning in result.get("warnings", [])]
        record["usage"] = result.get("usage")
        record["finishReason"] = result.get("finishReason")
        record["summaryFigures"] = {key: result[key] for key in ("reduction", "parts", "coverage") if key in result}
        if "text" in result:
            record["deltas"] = reply.shown == result["text"]


class EngineArm:
    """The engine alone, with a prompt of ours and nothing done to what it writes."""

    absent = frozenset()

    def __init__(self, binary, model, name="plain", prompts=None):
        self.name = name
        self.prompts = prompts
        self.peer = Engine(binary, model)
        self.facts = self.peer.facts

    def start(self, item, seed):
        if self.prompts is None:
            return self.peer.generate(plan.plain_request(item, seed))
        if item.feature != "rephrase":
            return None
        return self.peer.generate(plan.prompts_request(self.prompts, item, seed))

    def fill(self, record, reply):
        message = reply.whole
        if "error" in message:
            error = message["error"]
            record["error"] = {"code": error.get("code"), "kind": None, "message": error["message"]}
            return
        result = message["result"]
        text = reply.shown
        if self.prompts is not None:
            source = record["source"]
            body = source.strip()
            lead = source.index(body) if body else 0
            text = source[:lead] + text.strip() + source[lead + len(body):]
        record["output"] = text
        record["warnings"] = []
        record["finishReason"] = result["finishReason"]
        record["usage"] = {key: result[key] for key in ("promptTokens", "cachedTokens", "completionTokens")}
        if record["feature"] in ("brainstorm", "generate"):
            record["value"] = first_json(text)


def first_json(text):
    """The first JSON value in a text with other words around it, or None."""
    decoder = json.JSONDecoder()
    for index, character in enumerate(text):
        if character in "{[":
            try:
                return decoder.raw_decode(text, index)[0]
            except ValueError:
                continue
    return None


def run(arm, items, width, emit, seed=1, title=None, patience=300):
    """Runs the items, so many at once, and hands each record to `emit` when it is there."""
    progress = Progress(title or arm.name, max(1, len(items)))
    waiting = list(items)
    running = {}
    while waiting or running:
        while waiting and len(running) < width:
            item = waiting.pop(0)
            reply = arm.start(item, seed)
            if reply is None:
                progress.step()
            else:
                running[reply] = item
        if not running:
            continue
        reply = arm.peer.wait(list(running), patience)
        item = running.pop(reply)
        record = item.record(arm.name)
        record.update(
            output=None, value=None, warnings=[], usage=None, error=None, finishReason=None, deltas=None,
            firstMs=None if reply.first is None else round(reply.first * 1000, 1),
            totalMs=round(reply.seconds * 1000, 1))
        arm.fill(record, reply)
        emit(record)
        progress.step()


def make_arm(name, binary, model, loaded):
    """`inkling`, `plain`, or a file of prompts (see Tests/Evaluation/README.md). The daemon is given the model, a path
    or None for its own choice, the engine the file that the daemon has loaded for it."""
    if name == "inkling":
        return DaemonArm(binary, model)
    if name == "plain":
        return EngineArm(binary, loaded)
    with open(name, encoding="utf-8") as file:
        prompts = json.load(file)
    return EngineArm(binary, loaded, prompts.get("name", name), prompts)
