"""The other side: llama-server, asked as its users ask it, over HTTP with a stream."""
import concurrent.futures
import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import time

from bench_figures import cpu_seconds, memory_mb
from wire import PeerError

from .outcome import Outcome
from .tasks import PROMPTS, compact, conversation

PATIENCE = 900
SLOTS = 8


def flags(context=8192):
    """What differs from the server's own defaults: eight slots that share one context, as our sequences do."""
    return ["-np", str(SLOTS), "-c", str(context), "--kv-unified", "-fa", "on"]


class Server:
    """One llama-server."""

    name = "llama-server"

    def __init__(self, binary, model, context=8192, more=()):
        self.started = time.monotonic()
        # Another program may take the port before the server does; then it ends, and that is told.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = tempfile.TemporaryFile()
        self.command = [binary, "-m", model, "--host", "127.0.0.1", "--port", str(self.port), *flags(context), *more]
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 60
        while not self.is_healthy():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                tail = self.log.read().decode(errors="replace")[-2000:]
                self.close()
                raise PeerError("llama-server did not start:\n" + tail)
            time.sleep(0.002)

    def is_healthy(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def client(self, number):
        """Its clients connect for each request: it closes a connection that nothing is said on for five seconds."""

    def ask(self, task, number=0):
        body = {"messages": task.messages(), "max_tokens": task.most_tokens()}
        if task.schema():
            body["response_format"] = {"type": "json_schema", "json_schema": {"schema": task.schema()}}
        return self.stream(body, is_json=bool(task.schema()))

    def prewarm(self, task, is_exact):
        """It has no such thing."""

    def conversation(self):
        said = []

        def say(task):
            task.history = list(said)
            outcome = self.ask(task)
            said.extend([("user", task.text), ("assistant", outcome.text)])
            return outcome

        return say

    def summarize(self, text, count, parts):
        """The same parts that our daemon reads, four at a time, and a summary of their summaries."""
        prompts = PROMPTS["summarize"]
        system, tokens = PROMPTS["rephrase"]["system"], prompts["tokens"]
        bounds = prompts["parts"]
        sentences = min(bounds["most"], max(bounds["least"], (count * 3 // 2 + len(parts) - 1) // len(parts) + 1))
        started = time.monotonic()

        def summary(source, count, most):
            task = prompts["task"].format(count=count) + "\n\n" + source.strip()
            return self.stream({"messages": conversation(system, [], task), "max_tokens": most})

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            most = min(tokens["base"] + tokens["each"] * sentences, bounds["mostTokens"])
            read = list(pool.map(lambda part: summary(text[part[0]:part[1]], sentences, most), parts))
        whole = "\n\n".join(part.text.strip() for part in read)
        last = summary(whole, count, tokens["base"] + tokens["each"] * count)
        last.seconds = time.monotonic() - started
        last.first = None
        for part in read:
            last.failure = last.failure or part.failure
            last.prompt_tokens += part.prompt_tokens
            last.completion_tokens += part.completion_tokens
        return last

    def stream(self, body, is_json=False):
        """One answer, read as it comes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.connect()
            return self.read(connection, body, is_json)
        finally:
            connection.close()

    def read(self, connection, body, is_json):
        """Time begins when the connection is there."""
        body = {**body, "temperature": 0, "stream": True, "stream_options": {"include_usage": True}}
        outcome, text, buffer = Outcome(), "", b""
        started = time.monotonic()
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            outcome.failure = response.read().decode(errors="replace")[:300]
            return outcome
        while data := response.read1(1 << 16):
            buffer += data
            *events, buffer = buffer.split(b"\n\n")
            for event in events:
                if not event.startswith(b"data: {"):
                    continue
                value = json.loads(event[6:])
                for choice in value.get("choices", []):
                    piece = choice.get("delta", {}).get("content")
                    if piece:
                        outcome.first = outcome.first or time.monotonic() - started
                        text += piece
                take_counts(outcome, value)
        outcome.seconds = time.monotonic() - started
        outcome.text = compacted(text) if is_json else text.strip()
        return outcome

    def processes(self):
        return [self.process.pid]

    def memory(self):
        figures = memory_mb(self.process.pid)
        return figures and figures["pss"]

    def cpu(self):
        return cpu_seconds(self.process.pid)

    def threads(self):
        """How many it computes with, as its log says."""
        self.log.seek(0)
        found = re.search(rb"n_threads = (\d+)", self.log.read())
        return found.group(1).decode() if found else "its default of"

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def take_counts(outcome, value):
    usage, timings = value.get("usage"), value.get("timings")
    if usage:
        outcome.prompt_tokens, outcome.completion_tokens = usage["prompt_tokens"], usage["completion_tokens"]
    if timings:
        outcome.cached_tokens = timings.get("cache_n", 0)
        outcome.engine_first_ms = timings.get("prompt_ms")


def compacted(text):
    """JSON without the white space that nobody asked for, so that it does not count as output."""
    try:
        return compact(json.loads(text))
    except ValueError:
        return re.sub(r"\s+", " ", text)


def cold_start(binary, model, task):
    """From nothing to the first text, in seconds."""
    server = Server(binary, model)
    asked = time.monotonic()
    outcome = server.ask(task)
    server.close()
    return asked + outcome.first - server.started


def program(root):
    return os.path.join(root, ".deps", "peer", "llama-server")
