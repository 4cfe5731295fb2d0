"""The daemon's side: one `inkling connect`, spoken to in JSON-RPC with header framing (protocol.md)."""
import json
import os
import subprocess
import threading

UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Daemon:
    """Answers come to `post(callback, *arguments)`, which runs them in the main thread, one after another."""

    def __init__(self, command, post):
        self.command, self.post = command, post
        self.process = None
        self.encoding = "utf-16"
        self.offers = {}
        self.offers_changed = lambda: None
        self.last_id = 0
        self.pending, self.listeners, self.waiting = {}, {}, []
        self.ready = False

    def start(self):
        try:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as problem:
            self.process = None
            return f"{self.command[0]} cannot be started: {problem.strerror}. Install it, or set inkling_command."
        self.ready, self.errors = False, []
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()
        threading.Thread(target=self.read_errors, args=(self.process,), daemon=True).start()
        self.send_request("initialize", {
            "processId": os.getpid(), "clientInfo": {"name": "Kakoune"},
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]}, "experimental": {"assistant": {}}},
        }, self.initialized)
        return None

    def initialized(self, error, result):
        if error:
            return self.ended(self.process)
        capabilities = result["capabilities"]
        self.encoding = capabilities["positionEncoding"]
        self.offer(capabilities["experimental"]["assistant"])
        self.ready = True
        self.write({"method": "initialized", "params": {}})
        waiting, self.waiting = self.waiting, []
        for method, params, answer, listen, identity in waiting:
            self.send_request(method, params, answer, listen, identity)

    def offer(self, offers):
        for key in ("features", "tones", "kinds", "personalities"):
            if key in offers:
                self.offers[key] = offers[key]
        self.offers_changed()

    def request(self, method, params, answer, listen=None):
        """`answer(error, result)` is called once, `listen(value)` for each progress of the request's tokens."""
        problem = self.start() if self.process is None else None
        self.last_id += 1
        identity = self.last_id
        if problem:
            self.post(answer, {"code": 0, "message": problem}, None)
            return identity
        if self.ready:
            self.send_request(method, params, answer, listen, identity)
        else:
            self.waiting.append((method, params, answer, listen, identity))
        return identity

    def send_request(self, method, params, answer, listen=None, identity=None):
        if identity is None:
            self.last_id += 1
            identity = self.last_id
        if listen:
            self.listeners[f"partial-{identity}"] = self.listeners[f"work-{identity}"] = listen
            params = {**params, "workDoneToken": f"work-{identity}"}
            if method.startswith("assistant/"):
                params["partialResultToken"] = f"partial-{identity}"
        self.pending[identity] = answer
        self.write({"id": identity, "method": method, "params": params})

    def cancel(self, identity):
        for entry in self.waiting:
            if entry[4] == identity:
                self.waiting.remove(entry)
                self.post(entry[2], {"code": -32800, "message": "cancelled"}, None)
                return
        if identity in self.pending:
            self.write({"method": "$/cancelRequest", "params": {"id": identity}})

    def write(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.process.stdin.flush()
        except (OSError, ValueError, AttributeError):
            pass  # It has ended; the reader says so.

    def read(self, process):
        stream = process.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if line in (b"\r\n", b""):
                    break
                name, _, value = line.partition(b":")
                if name.strip().lower() == b"content-length":
                    length = int(value)
            body = stream.read(length) if length is not None else b""
            if not line or length is None or len(body) < length:
                process.wait()
                return self.post(self.ended, process)
            self.post(self.receive, process, json.loads(body.decode("utf-8", "replace")))

    def read_errors(self, process):
        for line in process.stderr:
            self.errors = (self.errors + [line.decode("utf-8", "replace").strip()])[-20:]

    def receive(self, process, message):
        if process is not self.process:
            return
        method = message.get("method")
        if method == "$/progress":
            listen = self.listeners.get(message["params"]["token"])
            if listen:
                listen(message["params"]["value"])
        elif method == "assistant/didChangeConfiguration":
            self.offer(message["params"])
        elif method is not None and "id" in message:
            self.write({"id": message["id"], "error": {"code": -32601, "message": f"Kakoune has no {method}"}})
        elif method is None and message.get("id") in self.pending:
            identity = message["id"]
            self.listeners.pop(f"partial-{identity}", None)
            self.listeners.pop(f"work-{identity}", None)
            self.pending.pop(identity)(message.get("error"), message.get("result"))

    def ended(self, process):
        """All that was asked is answered with an error; the next request starts another one."""
        if process is not self.process:
            return
        self.close()
        why = (": " + self.errors[-1]) if self.errors else ""
        error = {"code": 0, "message": f"The connection to Inkling has ended{why}. The next request starts it again."}
        answers = list(self.pending.values()) + [entry[2] for entry in self.waiting]
        self.pending, self.listeners, self.waiting = {}, {}, []
        for answer in answers:
            if answer != self.initialized:
                answer(error, None)

    def close(self):
        process, self.process, self.ready = self.process, None, False
        if process is None:
            return
        try:
            process.stdin.close()
        except OSError:
            pass
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    # Positions

    def cut(self, text, offset):
        """The beginning of a text, up to a position of the protocol."""
        units = offset * WIDTH[self.encoding]
        return text.encode(UNITS[self.encoding])[:units].decode(UNITS[self.encoding], "ignore")
