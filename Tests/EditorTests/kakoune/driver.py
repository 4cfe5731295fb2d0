"""Plays keys in a real Kakoune, by its JSON interface (`kak -ui json`), and looks at what is there then. Every wait has
a deadline, and none has a length of its own."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
CONFIGURATION = ROOT / "editor-configs/kakoune"


def wait(condition, what, seconds=8):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError("waited for " + (what() if callable(what) else what))
        time.sleep(0.005)
    return value


def same(found, wanted, what=""):
    if found != wanted:
        raise AssertionError(f"{what}\n  found  {found!r}\n  wanted {wanted!r}")


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def text_of(lines):
    return "\n".join("".join(atom["contents"] for atom in line).rstrip("\n") for line in lines)


def result(text, **more):
    return [{"result": {"text": text, **more}}]


class Kak:
    """An editor on a file, with a daemon that is scripted, or the real program's."""

    def __init__(self, content=b"one two\n", methods=None, script=None, name="text.md", command=None, settings=""):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inkling-test-"))
        self.path = self.folder / name
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.log_path = self.folder / "log.jsonl"
        self.write_script(methods, script)
        self.environment = dict(os.environ)
        for variable in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            place = self.folder / variable.lower()
            place.mkdir(mode=0o700)
            self.environment[variable] = str(place)
        self.runtime = self.folder / "xdg_runtime_dir"
        command = command or ["python3", str(HERE.parent / "scripted_daemon.py"), str(self.folder / "script.json"),
                              str(self.log_path)]
        start = (f"source {quote(str(CONFIGURATION / 'inkling.kak'))}\n"
                 f"set-option global inkling_command {' '.join(map(quote, command))}\n{settings}")
        self.session = f"t{os.getpid()}"
        self.errors = open(self.folder / "errors", "wb")
        self.process = subprocess.Popen(
            ["kak", "-n", "-ui", "json", "-s", self.session, "-E", start, str(self.path)], env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, cwd=self.folder)
        self.screen, self.status, self.mode_line = "", "", ""
        self.info, self.infos, self.statuses, self.menu = "", [], [], []
        self.asked = 0
        threading.Thread(target=self.read, daemon=True).start()
        self.send("resize", 40, 100)
        wait(lambda: self.screen, "the first screen")

    def write_script(self, methods, script=None):
        """For the daemon that is started next."""
        (self.folder / "script.json").write_text(json.dumps({"methods": methods or {}, **(script or {})}))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            try:
                print("debug buffer:", self.debug()[-2500:], file=sys.stderr)
            except Exception:
                pass
        self.helper_errors()
        processes = [pid for pid in (self.helper(), self.process.pid) if pid]
        for pid in processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        subprocess.run(["rm", "-rf", str(self.folder)], check=False)

    def helper_errors(self):
        for path in self.runtime.glob("inkling-kakoune.*/errors"):
            if path.read_text():
                raise AssertionError("the helper: " + path.read_text())

    # What is there

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line.decode("utf-8", "replace"))
            method, params = message["method"], message["params"]
            if method == "draw":
                self.screen = text_of(params[0])
                self.lines = params[0]
            elif method == "draw_status":
                self.status, self.mode_line = text_of([params[0]]), text_of([params[1]])
                self.statuses.append(self.status)
            elif method == "info_show":
                self.info = text_of(params[1])
                self.infos.append(self.info)
            elif method == "info_hide":
                self.info = ""
            elif method == "menu_show":
                self.menu = [text_of([line]) for line in params[0]]
            elif method == "menu_hide":
                self.menu = []

    def send(self, method, *params):
        message = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}, ensure_ascii=False)
        self.process.stdin.write(message.encode() + b"\n")
        self.process.stdin.flush()

    def keys(self, *keys):
        """As typed, and taken when this returns."""
        self.send("keys", *keys)
        self.get("%val{timestamp}")
        return self

    def command(self, command):
        """Through the prompt, as a person does."""
        self.send("keys", ":", *("<lt>" if character == "<" else "<space>" if character == " " else character
                                 for character in command), "<ret>")
        self.get("%val{timestamp}")
        return self

    def evaluate(self, command):
        """Done before the next one. Messages that Kakoune finds at once are taken in any order."""
        self.asked += 1
        seen = self.folder / f"seen-{self.asked}"
        done = subprocess.run(["kak", "-p", self.session], input=f"echo -to-file '{seen}' seen\n{command}".encode(),
                              env=self.environment, check=False)
        same(done.returncode, 0, "kak -p")
        wait(seen.exists, "a command to be seen")

    def get(self, *expressions, buffer=None):
        """The words that expansions give."""
        self.asked += 1
        path = self.folder / f"answer-{self.asked}"
        where = f"-buffer {quote(buffer)}" if buffer else "-client client0"
        self.evaluate(f"evaluate-commands {where} %{{ echo -quoting kakoune -to-file '{path}.part' "
                      f"{' '.join(expressions)} }}\nnop %sh{{ mv '{path}.part' '{path}' }}")
        wait(path.exists, lambda: f"{expressions} (status line: {self.status})")
        return [word.replace("''", "'") for word in re.findall(r"'([^']*(?:''[^']*)*)'", path.read_text())]

    def text(self, buffer=None):
        return self.bytes(buffer).decode()

    def bytes(self, buffer=None):
        """What a write of the buffer gives."""
        path = self.folder / "written"
        where = f"-buffer {quote(buffer)}" if buffer else "-client client0"
        self.evaluate(f"evaluate-commands {where} %{{ write -force '{path}' }}")
        self.get("%val{timestamp}")
        return path.read_bytes()

    def debug(self):
        path = self.folder / "debug"
        self.evaluate(f"evaluate-commands -buffer *debug* %{{ write -force '{path}' }}")
        self.get("%val{timestamp}")
        return path.read_text()

    def select(self, *descriptions):
        self.evaluate("evaluate-commands -client client0 %{ select " + " ".join(descriptions) + " }")
        self.get("%val{timestamp}")
        return self

    def selections(self):
        return self.get("%val{selections}")

    def regions(self):
        return self.get("%opt{inkling_regions}")[1:]

    def helper(self):
        try:
            return int(self.get("%opt{inkling_pid}")[0] or 0) if self.process.poll() is None else 0
        except (AssertionError, IndexError, ValueError):
            return 0

    def log(self):
        try:
            return [json.loads(line) for line in self.log_path.read_text().splitlines() if line.endswith("}")]
        except FileNotFoundError:
            return []

    def sent(self, method):
        return [entry["in"].get("params") for entry in self.log() if entry.get("in", {}).get("method") == method]

    # Waits

    def wait_sent(self, method, count=1):
        return wait(lambda: len(self.sent(method)) >= count and self.sent(method), f"{count} {method}")

    def wait_info(self, words):
        return wait(lambda: words in self.info,
                    lambda: f"“{words}” in the box, which shows “{self.info}” ({self.status})")

    def wait_status(self, words):
        return wait(lambda: any(words in status for status in self.statuses),
                    lambda: f"“{words}” in the status line: {self.statuses[-4:]}")

    def wait_text(self, wanted, buffer=None):
        wait(lambda: self.text(buffer) == wanted, lambda: f"{wanted!r}, found {self.text(buffer)!r} ({self.status})")

    def wait_ready(self, count=1):
        wait(lambda: self.get("%opt{inkling_status}") == [f"inkling: {count} ready"],
             lambda: f"{count} ready: {self.get('%opt{inkling_status}')} ({self.status})")

    def wait_clean(self):
        wait(lambda: not self.regions() and self.get("%opt{inkling_status}") == [""],
             lambda: f"no region: {self.regions()} ({self.status})")

    def accept(self):
        """The keys of the user mode."""
        return self.keys(":enter-user-mode inkling<ret>", "a")
