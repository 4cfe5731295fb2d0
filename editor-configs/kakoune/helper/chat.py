"""The chat: a session of the daemon in one buffer. What stands below the last `> ` is what is said."""
import requests

BUFFER = "*inkling-chat*"


class Chat:
    def __init__(self, editor, daemon):
        self.editor, self.daemon = editor, daemon
        self.session, self.request, self.shown, self.dirty = None, None, "", False
        self.asked = None

    def send(self, report):
        text = "\n" + report.argument(0).rstrip("\n")
        message = text.rpartition("\n> ")[2].strip() if "\n> " in text else ""
        if self.request is not None:
            return self.editor.say(report.client, "The answer is still being written; inkling-stop ends it.", "Error")
        if not message:
            return self.editor.say(report.client, "Write something below the last “> ”.", "Error")
        self.editor.run(self.editor.texts("\n…\n\n> \n"),
                        self.editor.in_buffer(BUFFER, report.client, "inkling-chat-more"),
                        self.editor.in_client(report.client, "execute-keys", "gel"))
        self.say(report, {"message": message})

    def retry(self, report):
        if self.request is None and self.session:
            self.say(report, {"retry": True})

    def say(self, report, params):
        self.asked, self.shown = (report, params), ""
        if not self.session:
            self.session = "kakoune-" + report.session + "-" + report.timestamp
            create = {"sessionId": self.session, "contextPolicy": "slidingWindow"}
            if report.voice:
                create["personality"] = report.voice
            self.daemon.request("session/create", create, lambda *answer: None)
        self.request = self.daemon.request(
            "assistant/chat", {"sessionId": self.session, **params}, self.answered, self.listen)

    def listen(self, value):
        if value["kind"] == "text":
            self.shown, self.dirty = requests.partial(self.daemon, self.shown, value), True

    def answered(self, error, result):
        report, params = self.asked
        self.request, self.dirty = None, True
        if not error:
            self.shown = result["text"]
            return
        if error["code"] == 1003 and self.session:
            # The daemon was started anew, and with it the conversation.
            self.session = None
            if "message" in params:
                self.editor.say(report.client, "The daemon was started anew; what was said before is forgotten.")
                return self.say(report, params)
        stopped = error["code"] == -32800
        self.shown = "(stopped)" if stopped else "(" + requests.explain(error) + ")"

    def flush(self):
        if self.dirty:
            self.dirty = False
            self.editor.run(self.editor.texts(self.shown.strip("\n") or "…"),
                            self.editor.in_buffer(BUFFER, "", "inkling-chat-put"))

    def stop(self):
        """False when nothing was being said."""
        if self.request is None:
            return False
        self.daemon.cancel(self.request)
        return True

    def undo(self, report):
        if self.session and self.request is None:
            self.daemon.request("session/rewind", {"sessionId": self.session}, lambda error, _: self.editor.say(
                report.client, requests.explain(error) if error else "The last turn is forgotten."))

    def end(self, _):
        self.stop()
        if self.session:
            self.daemon.request("session/delete", {"sessionId": self.session}, lambda *answer: None)
        self.session = None
