"""The two peers that evaluations and benchmarks talk to: the daemon as an editor sees it, and the engine alone."""
import json
import os
import select
import socket
import subprocess
import time


class PeerError(Exception):
    """The peer is gone, silent, or breaks its protocol."""


class Reply:
    """What came for one request: partial results as they would be shown, and the one reply."""

    def __init__(self, method, on_progress=None):
        self.method = method
        self.on_progress = on_progress
        self.started = time.monotonic()
        self.first = None
        self.shown = ""
        self.any_partial = False
        self.whole = None
        self.seconds = 0.0

    def note_text(self):
        if self.first is None:
            self.first = time.monotonic() - self.started
        self.any_partial = True

    def take_progress(self, value):
        """Puts a partial result to what is shown, by the rule of protocol.md."""
        if self.on_progress is not None:
            self.on_progress(value)
        if not isinstance(value, dict) or value.get("kind") not in ("text", "structured"):
            return
        self.note_text()
        if value["kind"] == "structured":
            return
        if "text" in value:
            self.shown = value["text"]
        elif value["offset"] > len(self.shown.encode("utf-16-le")) // 2:
            raise PeerError("a partial result begins behind the end of what is shown")
        else:
            units = self.shown.encode("utf-16-le")[: value["offset"] * 2]
            self.shown = units.decode("utf-16-le", "surrogatepass") + value["delta"]

    def close(self, message):
        self.whole = message
        self.seconds = time.monotonic() - self.started


class Peer:
    """One JSON-RPC conversation with a process, several requests at once, a deadline on every wait."""

    def __init__(self, process, read_fd, write):
        self.process = process
        self.read_fd = read_fd
        self.write = write
        self.buffer = b""
        self.next_id = 0
        self.open = {}
        self.tokens = {}

    def frame(self, body):
        raise NotImplementedError

    def take_frame(self):
        """The next whole message in the buffer, or None."""
        raise NotImplementedError

    def take_notification(self, message):
        raise NotImplementedError

    def send(self, method, params, token=None, on_progress=None):
        """Sends a request; gives what will come for it. `token` is the one in the params under which partial results
        and progress come; `on_progress` is called with each of them."""
        self.next_id += 1
        reply = Reply(method, on_progress)
        self.open[self.next_id] = reply
        if token is not None:
            self.tokens[token] = reply
        body = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        self.write(self.frame(json.dumps(body, ensure_ascii=False).encode()))
        return reply

    def wait(self, replies, seconds):
        """Reads until one of the replies is there; gives it."""
        deadline = time.monotonic() + seconds
        while True:
            for reply in replies:
                if reply.whole is not None:
                    return reply
            message = self.next_message(deadline)
            if "method" in message:
                self.take_notification(message)
            elif message.get("id") in self.open:
                self.open.pop(message["id"]).close(message)

    def next_message(self, deadline):
        while True:
            body = self.take_frame()
            if body is not None:
                return json.loads(body)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                raise PeerError("no answer in time")
            data = os.read(self.read_fd, 1 << 16)
            if not data:
                raise PeerError("the process closed its output (status %s)" % self.process.poll())
            self.buffer += data

    def result(self, reply, seconds=60):
        """Waits for the reply; gives the result in it."""
        message = self.wait([reply], seconds).whole
        if "error" in message:
            raise PeerError("%s: %s" % (reply.method, message["error"].get("message")))
        return message["result"]

    def request(self, method, params, seconds=60):
        return self.result(self.send(method, params), seconds)

    def end(self):
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Daemon(Peer):
    """`inkling serve` in line framing; or `inkling connect`, with the shared daemon behind it."""

    def __init__(self, binary, model=None, command="serve", environment=None, flags=()):
        self.started = time.monotonic()
        command = [binary, command, "--framing", "line", *(["--model", model] if model else []), *flags]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            env={**os.environ, **(environment or {})})

        def write(data):
            # One message may need several writes into a pipe.
            view = memoryview(data)
            while view:
                view = view[process.stdin.write(view):]

        super().__init__(process, process.stdout.fileno(), write)
        # The units in which partial results are put together.
        self.capabilities = self.request("initialize", {
            "capabilities": {"general": {"positionEncodings": ["utf-16"]}, "experimental": {"assistant": {}}}})

    @property
    def methods(self):
        return self.capabilities["capabilities"]["experimental"]["assistant"]["methods"]

    def model_facts(self, seconds=300):
        """Waits for the model; gives what `model/status` says of it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            status = self.request("model/status", {})
            state = status["availability"]["state"]
            if state == "available":
                return status["model"]
            if state == "unavailable" and status["availability"].get("reason") != "unloaded":
                raise PeerError("the model is unavailable: %s" % status["availability"].get("message"))
            if state == "unavailable":
                self.request("assistant/countTokens", {"text": "a"}, seconds)
            time.sleep(0.05)
        raise PeerError("the model does not load")

    def engine_process(self):
        """The process of the engine, once the model is loaded."""
        return self.request("model/status", {})["engine"]["processId"]

    def frame(self, body):
        return body + b"\n"

    def take_frame(self):
        line, newline, rest = self.buffer.partition(b"\n")
        if not newline:
            return None
        self.buffer = rest
        return line

    def take_notification(self, message):
        if message["method"] == "$/progress":
            reply = self.tokens.get(message["params"].get("token"))
            if reply is not None:
                reply.take_progress(message["params"]["value"])

    def close(self):
        self.process.stdin.close()
        self.end()


class Engine(Peer):
    """`inkling engine`, the child that holds the model, on a socket at descriptor 3: for prompts of one's own."""

    def __init__(self, binary, model):
        ours, theirs = socket.socketpair()
        # The shell moves the socket from standard input to descriptor 3.
        command = ["/bin/sh", "-c", 'exec "$0" engine 3<&0 </dev/null', binary]
        process = subprocess.Popen(
            command, stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, GGML_NO_BACKTRACE="1"))
        theirs.close()
        self.socket = ours
        super().__init__(process, ours.fileno(), ours.sendall)
        self.facts = self.request("engine/load", {"path": model}, 300)

    def generate(self, params):
        return self.send("engine/generate", dict(params, request=self.next_id + 1), self.next_id + 1)

    def frame(self, body):
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def take_frame(self):
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return None
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-l"))
        if len(rest) < length:
            return None
        self.buffer = rest[length:]
        return rest[:length]

    def take_notification(self, message):
        if message["method"] == "engine/text":
            reply = self.tokens.get(message["params"]["request"])
            if reply is not None:
                reply.note_text()
                reply.shown += message["params"]["text"]

    def close(self):
        self.socket.close()
        self.end()
