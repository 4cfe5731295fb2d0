"""The helper of Inkling in Kakoune: `serve FOLDER SESSION PID COMMAND...` works for an editor until it ends, and
`choices LIST COMMAND...` prints a list of names."""
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

import choices
from actions import Actions
from chat import BUFFER, Chat
from daemon import Daemon
from drafts import Drafts
from editor import Editor, Report
from preview import Preview
from requests import explain

PAUSE = 0.04  # Between two updates of what is shown.


class Helper:
    def __init__(self, folder, session, editor_process, command):
        self.folder, self.command = pathlib.Path(folder), command
        self.events = queue.SimpleQueue()  # The one kind that a signal handler may put into.
        self.editor = Editor(session, editor_process, self.folder)
        self.daemon = Daemon(command, lambda *event: self.events.put(event))
        self.daemon.offers_changed = lambda: choices.write(self.folder, self.daemon.offers)
        self.drafts = Drafts(self.editor, self.daemon)
        self.preview = Preview(self.editor, self.daemon, self.drafts)
        self.actions = Actions(self.editor, self.daemon, self.drafts, self.preview)
        self.chat = Chat(self.editor, self.daemon)
        self.taken, self.ending = 0, False

    def run(self):
        try:
            self.work()
        except Exception:  # A fault of ours; the next command starts another helper.
            self.editor.run(["echo", "-debug", "inkling: " + traceback.format_exc()])
        finally:
            self.daemon.close()
            # An editor that ends tells that its buffers are closed, perhaps while the folder is emptied.
            deadline = time.monotonic() + 2
            while self.folder.exists() and time.monotonic() < deadline:
                shutil.rmtree(self.folder, ignore_errors=True)
                time.sleep(0.02)

    def work(self):
        signal.signal(signal.SIGUSR1, lambda *_: self.events.put((self.take,)))
        signal.signal(signal.SIGTERM, lambda *_: self.events.put((self.end,)))
        # Whoever started the editor may have blocked them, and a blocked signal is inherited.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1, signal.SIGTERM})
        self.take()
        shown = 0.0
        while not self.ending:
            waiting = self.drafts.dirty or self.chat.dirty
            try:
                callback, *arguments = self.events.get(timeout=max(shown + PAUSE - time.monotonic(), 0.001)
                                                       if waiting else 1)
                callback(*arguments)
                if waiting and time.monotonic() < shown + PAUSE:
                    continue
            except queue.Empty:
                self.ending = not self.editor.alive()
            if not self.ending and self.events.empty():
                self.preview.flush()
                self.chat.flush()
                shown = time.monotonic()

    def end(self):
        self.ending = True

    def take(self):
        """Does what Kakoune has told, in its order."""
        while True:
            path = self.folder / f"in-{self.taken + 1}"
            if not path.exists():
                return
            report = Report.read(path.read_bytes())
            if report is None:
                return
            self.taken += 1
            path.unlink()
            self.editor.session = report.session
            self.do(report)

    def do(self, report):
        if report.verb in ("rephrase", "summarize", "brainstorm", "command"):
            self.drafts.ask(report)
        elif report.verb == "look":
            self.preview.look(report)
        elif report.verb == "escape":
            self.drafts.stop(report, elsewhere=False)
        elif report.verb == "stop":
            if report.buffer != BUFFER or not self.chat.stop():
                self.drafts.stop(report)
        elif report.verb == "stop-all":
            self.chat.stop()
            self.drafts.stop(report, everywhere=True, elsewhere=False)
        elif report.verb == "discard":
            self.drafts.close(self.drafts.of(report) or self.drafts.chosen(report))
        elif report.verb == "closed":
            self.drafts.close_buffer(report.buffer)
        elif report.verb == "retry" and report.buffer == BUFFER:
            self.chat.retry(report)
        elif report.verb in ("accept", "applied", "retry", "next", "diff", "open", "yank"):
            getattr(self.actions, report.verb)(report)
        elif report.verb.startswith("chat-"):
            getattr(self.chat, report.verb[5:])(report)
        elif report.verb == "status":
            self.daemon.request("daemon/status", {}, lambda *answer: self.status(report, *answer))
        elif report.verb == "model":
            self.load(report)
        elif report.verb == "doctor":
            threading.Thread(target=self.doctor, args=(report,), daemon=True).start()

    def status(self, report, error, result):
        if error:
            return self.editor.say(report.client, explain(error), "Error")
        model, availability = result["model"]["model"], result["model"]["availability"]
        lines = [model["name"] if model else "no model", availability.get("message") or availability["state"],
                 availability.get("remedy") or "",
                 f"{len(result['clients'])} clients, {result['totals']['requests']} requests",
                 f"voice: {report.voice or 'the usual one'}"]
        self.editor.run(self.editor.texts("\n".join(line for line in lines if line)),
                        self.editor.in_client(report.client, "inkling-info"))

    def load(self, report):
        def progress(value):
            percent = value.get("percentage")
            if percent is not None:
                self.editor.run(self.editor.in_client(report.client, "echo", f"Loading the model, {percent} %"))

        def loaded(error, result):
            self.editor.say(report.client, explain(error) if error else f"{result['model']['name']} is loaded.",
                            "Error" if error else "Information")
        self.editor.run(self.editor.in_client(report.client, "echo", "Loading the model"))
        path = os.path.abspath(os.path.expanduser(report.argument(0)))
        self.daemon.request("model/load", {"path": path}, loaded, progress)

    def doctor(self, report):
        """In a thread of its own, since it takes seconds."""
        try:
            done = subprocess.run([self.command[0], "doctor"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=120, check=False)
            found = done.stdout.decode("utf-8", "replace")
        except (OSError, subprocess.TimeoutExpired) as problem:
            found = f"{self.command[0]} doctor: {problem}\nInstall the program, or set inkling_command.\n"
        about = f"Helper: Python {sys.version.split()[0]}, process {os.getpid()}, {' '.join(self.command)}\n\n"
        self.events.put((self.editor.run, self.editor.texts(about + found.rstrip("\n")),
                         self.editor.in_client(report.client, "inkling-buffer", "*inkling-doctor*")))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        Helper(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:]).run()
    else:
        choices.show(sys.argv[2], sys.argv[3:], queue.SimpleQueue())
