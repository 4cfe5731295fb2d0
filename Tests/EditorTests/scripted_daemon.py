#!/usr/bin/env python3
"""A daemon that does what a test says: it speaks Inkling's protocol on standard input and output (header framing) and
answers each method from a script. The plugins are tried against it where timings, errors and texts have to be chosen.

    scripted_daemon.py SCRIPT.json LOG.jsonl

SCRIPT.json: {"methods": {"assistant/rephrase": [PLAY, ...], ...}, "capabilities": {...}}

Optional members: "encoding" is the position encoding whatever the client offers; with "chunk" so many bytes are
written at a time.

Each request takes the next PLAY of its method, the last one again and again. A PLAY is a list of steps:

    {"text": "...", "offset": 0}   a partial result for the request's partialResultToken: cut to offset, then append
    {"snapshot": VALUE}            a structured partial result
    {"work": {"kind": ...}}        progress for its workDoneToken
    {"seconds": 0.2}               a wait, during which other messages are served; a cancelled request ends here
    {"seconds": 0.2, "deaf": true} the same for a daemon that has not heard of the cancellation yet
    {"until": "NAME"}              waits until the client has sent a request or notification of that method
    {..., "heedless": true}        with one of these waits: a cancellation ends the wait but not the play
    {"hold": true}                 keeps what is written back, until false sends it in one piece
    {"result": {...}}              the answer; its members are laid over those of a full result of the method
    {"error": {...}}               an error as the answer
    {"notify": [METHOD, PARAMS]}   a notification of the daemon's own
    {"raw": "..."}                 bytes as they are, for clients that take one chunk for one message
    {"exit": STATUS}               the daemon ends

Methods without a script: `initialize` and `shutdown` are answered, all others with -32601. LOG.jsonl gets a line for
every message that comes ({"in": ...}) and goes ({"out": ...}), and {"cancelled": ID} when a request was cancelled.
"""
import json
import os
import queue
import sys
import threading
import time

USAGE = {
    "promptTokens": 10, "cachedTokens": 0, "completionTokens": 5, "contextUsed": 15, "contextSize": 8192,
    "timeToFirstTokenMs": 20.0, "durationMs": 80.0,
}
COMMON = {"usage": USAGE, "finishReason": "stop", "warnings": []}
RESULTS = {
    "assistant/rephrase": {"text": "", "alternatives": [], "tone": "formal", "edits": []},
    "assistant/summarize": {
        "text": "", "reduction": {"originalCharacters": 10, "summaryCharacters": 5, "percent": 50}, "parts": 1,
        "coverage": []},
    "assistant/brainstorm": {"kind": "ideas", "value": {}, "rendered": "", "toolCalls": []},
    "assistant/chat": {"text": "", "toolCalls": []},
    "assistant/generate": {"value": {}, "toolCalls": []},
    "assistant/command": {"text": ""},
}


def choice(name):
    return {"id": name, "title": name.capitalize(), "description": name + "."}


ASSISTANT = {
    "protocolVersion": 1,
    "methods": list(RESULTS) + ["assistant/prewarm", "assistant/countTokens", "daemon/status", "model/status",
                                "session/create", "session/list", "session/get", "session/rewind", "session/delete"],
    "features": [
        {"id": "rephrase", "title": "Rephrase", "description": "Says it again.", "input": "selection",
         "output": "replace", "suggestions": []},
        {"id": "summarize", "title": "Summarize", "description": "Says it in short.", "input": "selection",
         "output": "show", "suggestions": []},
        {"id": "brainstorm", "title": "Brainstorm", "description": "Makes something up.", "input": "topic",
         "output": "insert", "suggestions": ["A dragon who is afraid of fire"]},
        {"id": "chat", "title": "Chat", "description": "Talks.", "input": "none", "output": "show", "suggestions": []},
        {"id": "commit", "title": "Commit message", "description": "Of changes.", "input": "selection",
         "output": "insert", "suggestions": []},
    ],
    "tones": [choice(name) for name in (
        "formal", "exciting", "simpler", "shorter", "longer", "friendly", "proofread", "plain")],
    "kinds": [choice(name) for name in ("ideas", "sequel", "character", "storyArc", "tags")],
    "personalities": [choice(name) for name in ("neutral", "woody", "buzz", "dory")],
    "schemaKeywords": ["type"],
}


class Daemon:
    def __init__(self, script, log):
        self.script = script
        self.log = open(log, "a", buffering=1)
        self.inbox = queue.Queue()
        self.writing = threading.Lock()
        self.changed = threading.Condition()
        self.cancelled, self.heard, self.counts = set(), set(), {}
        self.held = None

    def note(self, entry):
        self.log.write(json.dumps(entry) + "\n")

    def write(self, data):
        size = self.script.get("chunk")
        with self.writing:
            if self.held is not None:
                self.held += data
                return
            for start in range(0, len(data), size or len(data)):
                sys.stdout.buffer.write(data[start:start + size] if size else data)
                sys.stdout.buffer.flush()
                if size:
                    time.sleep(0.0005)

    def send(self, message):
        message = {"jsonrpc": "2.0", **message}
        self.note({"out": message})
        body = json.dumps(message, ensure_ascii=False).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        stream = sys.stdin.buffer
        while True:
            length = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.inbox.put(None)
                return
            self.inbox.put(json.loads(stream.read(length)))

    def run(self):
        threading.Thread(target=self.read, daemon=True).start()
        while (message := self.inbox.get()) is not None:
            self.note({"in": message})
            method = message.get("method")
            with self.changed:
                self.heard.add(method)
                if method == "$/cancelRequest":
                    self.cancelled.add(json.dumps(message["params"]["id"]))
                self.changed.notify_all()
            if method == "exit":
                # Python itself would wait a second for the thread that reads.
                os._exit(0)
            if method is not None and "id" in message:
                threading.Thread(target=self.serve, args=(message,), daemon=True).start()

    def serve(self, request):
        method, identity = request["method"], request["id"]
        plays = self.script.get("methods", {}).get(method)
        if plays:
            index = self.counts.get(method, 0)
            self.counts[method] = index + 1
            return self.play(request, plays[min(index, len(plays) - 1)])
        if method == "initialize":
            encodings = (request["params"].get("capabilities") or {}).get("general", {}).get("positionEncodings", [])
            known = next((name for name in encodings if name in ("utf-8", "utf-16", "utf-32")), "utf-16")
            encoding = self.script.get("encoding") or known
            assistant = {**ASSISTANT, **self.script.get("capabilities", {})}
            return self.send({"id": identity, "result": {
                "serverInfo": {"name": "inkling", "version": "scripted"},
                "capabilities": {"positionEncoding": encoding, "experimental": {"assistant": assistant}}}})
        if method == "shutdown":
            return self.send({"id": identity, "result": None})
        self.send({"id": identity, "error": {"code": -32601, "message": f"there is no method “{method}”"}})

    def wait(self, identity, seconds=None, method=None, deaf=False):
        """False when the request was cancelled meanwhile."""
        deadline = time.monotonic() + (30 if seconds is None else seconds)
        key = json.dumps(identity)
        with self.changed:
            while (deaf or key not in self.cancelled) and not (method and method in self.heard):
                if (left := deadline - time.monotonic()) <= 0:
                    break
                self.changed.wait(left)
            return deaf or key not in self.cancelled

    def play(self, request, steps):
        params, identity = request.get("params") or {}, request["id"]
        for step in steps:
            if "text" in step:
                self.progress(params.get("partialResultToken"), {
                    "kind": "text", "offset": step.get("offset", 0), "delta": step["text"]})
            elif "snapshot" in step:
                self.progress(params.get("partialResultToken"), {"kind": "structured", "value": step["snapshot"]})
            elif "work" in step:
                self.progress(params.get("workDoneToken"), step["work"])
            elif "seconds" in step or "until" in step:
                waited = self.wait(identity, step.get("seconds"), step.get("until"), step.get("deaf"))
                if not waited and not step.get("heedless"):
                    self.note({"cancelled": identity})
                    return self.send({"id": identity, "error": {"code": -32800, "message": "cancelled"}})
            elif "result" in step:
                result = step["result"]
                if request["method"] in RESULTS and isinstance(result, dict):
                    result = {**RESULTS[request["method"]], **COMMON, **result}
                    if "alternatives" in result and not result["alternatives"]:
                        result["alternatives"] = [result["text"]]
                self.send({"id": identity, "result": result})
            elif "error" in step:
                self.send({"id": identity, "error": step["error"]})
            elif "notify" in step:
                self.send({"method": step["notify"][0], "params": step["notify"][1]})
            elif "raw" in step:
                self.write(step["raw"].encode())
            elif "hold" in step:
                with self.writing:
                    data, self.held = self.held, b"" if step["hold"] else None
                if data:
                    self.write(data)
            elif "exit" in step:
                os._exit(step["exit"])

    def progress(self, token, value):
        if token is not None:
            self.send({"method": "$/progress", "params": {"token": token, "value": value}})


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        Daemon(json.load(file), sys.argv[2]).run()
