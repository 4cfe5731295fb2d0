"""Our side: the daemon that editors share, with clients as editors start them."""
import glob
import os
import shutil
import subprocess
import tempfile
import time

from bench_figures import cpu_seconds, memory_mb
from wire import Daemon, PeerError

from .outcome import Outcome
from .tasks import compact

# A long summary on a busy machine.
PATIENCE = 900


class Ours:
    """`inkling serve --socket` with a runtime folder of its own, so that one that runs is left alone."""

    name = "inkling"

    def __init__(self, binary, model, flags=()):
        self.binary = os.path.abspath(binary)
        self.folder = tempfile.mkdtemp(prefix="inkling-bench-")
        self.environment = {"XDG_RUNTIME_DIR": self.folder, "XDG_STATE_HOME": self.folder}
        self.clients = []
        self.sessions = 0
        self.process = subprocess.Popen(
            [self.binary, "serve", "--socket", "--ephemeral", "--no-config", "--no-prepared", "--model", model, *flags],
            env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not glob.glob(os.path.join(self.folder, "inkling", "*.sock")):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise PeerError("`inkling serve --socket %s` did not start" % " ".join(flags))
            time.sleep(0.01)
        self.facts = self.client(0).model_facts()

    def client(self, number):
        while len(self.clients) <= number:
            self.clients.append(Daemon(self.binary, command="connect", environment=self.environment))
        return self.clients[number]

    def ask(self, task, number=0):
        """Does a task for the client of that number."""
        method, params = task.ours()
        return answered(self.client(number), method, params)

    def prewarm(self, task, is_exact):
        """As an editor does when a text is selected, and then when its command is known. Waits until it is done."""
        method, params = task.ours()
        if not is_exact:
            params.pop("tone")
        self.client(0).request("assistant/prewarm", {"method": method, "params": params})

    def conversation(self):
        """Begins a conversation; gives what says something in it."""
        self.sessions += 1
        name = f"bench-{self.sessions}"
        self.client(0).request("session/create", {"sessionId": name})

        def say(task):
            method, params = task.ours()
            return answered(self.client(0), method, {**params, "sessionId": name})

        return say

    def summarize(self, text, count, parts=None):
        """The parts are the daemon's own choice; the outcome names them."""
        return answered(self.client(0), "assistant/summarize", {"text": text, "count": count})

    def processes(self):
        return [self.process.pid, self.client(0).engine_process()]

    def memory(self):
        """Proportional set size of front end and engine, in MB (Linux; elsewhere None)."""
        figures = [memory_mb(pid) for pid in self.processes()]
        return None if None in figures else sum(figure["pss"] for figure in figures)

    def cpu(self):
        times = [cpu_seconds(pid) for pid in self.processes()]
        return None if None in times else sum(times)

    def close(self):
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def answered(client, method, params):
    token = f"{method} {client.next_id}"
    reply = client.send(method, {**params, "partialResultToken": token}, token)
    message = client.wait([reply], PATIENCE).whole
    outcome = Outcome(first=reply.first, seconds=reply.seconds)
    if "error" in message:
        outcome.failure = message["error"].get("message")
        return outcome
    result = message["result"]
    outcome.parts = [(part["start"], part["end"]) for part in result.get("coverage", [])]
    outcome.text = compact(result["value"]) if "value" in result else result["text"]
    usage = result["usage"]
    outcome.prompt_tokens, outcome.cached_tokens = usage["promptTokens"], usage["cachedTokens"]
    outcome.completion_tokens = usage["completionTokens"]
    outcome.engine_first_ms = usage["timeToFirstTokenMs"]
    return outcome


def cold_start(binary, model, task):
    """A daemon of its own from nothing: seconds to the answer to `initialize`, and to the first text."""
    daemon = Daemon(os.path.abspath(binary), model, flags=["--no-config", "--no-prepared", "--ephemeral"])
    initialized = time.monotonic() - daemon.started
    method, params = task.ours()
    reply = daemon.send(method, {**params, "partialResultToken": "cold"}, "cold")
    daemon.result(reply)
    daemon.close()
    return initialized, reply.started + reply.first - daemon.started


def default_model(binary):
    """What the daemon says of the model it takes by itself: the file it loads, and the one that was chosen."""
    daemon = Daemon(os.path.abspath(binary))
    facts = daemon.model_facts()
    daemon.close()
    return facts["path"], facts["sourcePath"]
