"""Kakoune's side: what it tells, and how it is told something."""
import os
import re
import subprocess
import time

WORD = re.compile(rb"'([^']*(?:''[^']*)*)'")
RANGE = re.compile(r"(\d+)\.(\d+)(?:,(\d+)\.(\d+)|\+0)(?:\|(\w+))?")


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def line(command):
    return " ".join(quote(str(word)) for word in command)


def words(data):
    """The words of `echo -quoting kakoune`; bytes that are not UTF-8 become lone surrogates."""
    return [word.replace(b"''", b"'").decode("utf-8", "surrogateescape") for word in WORD.findall(data)]


def valid(text):
    return not any("\udc80" <= character <= "\udcff" for character in text) and "\0" not in text


class Place:
    """A range: begin and end are (line, byte column), the end is the first byte of the last character."""

    def __init__(self, begin, end, name=None):
        self.begin, self.end, self.name = min(begin, end), max(begin, end), name

    def __str__(self):
        return "%d.%d,%d.%d" % (*self.begin, *self.end)

    def touches(self, other):
        return self.begin <= other.end and other.begin <= self.end


def places(description):
    """Of selection descriptions and of range-specs, whose empty ranges are left out."""
    found = []
    for line, column, end_line, end_column, name in RANGE.findall(description):
        if end_line:
            found.append(Place((int(line), int(column)), (int(end_line), int(end_column)), name or None))
    return found


class Report:
    """One thing that Kakoune told: see inkling-tell. A list in double quotes has NUL between its words."""

    FIELDS = ("session", "client", "buffer", "timestamp", "regions", "cursors", "filetype", "preview", "placement",
              "tone", "voice", "instructions", "alternatives", "verb")

    def __init__(self, fields):
        for name, value in zip(self.FIELDS, fields):
            setattr(self, name, value)
        rest = fields[len(self.FIELDS):-1]
        self.texts = None
        self.arguments = rest
        if "--" in rest:
            middle = rest.index("--")
            self.arguments, self.texts = rest[:middle], rest[middle + 1:]
        self.regions, self.cursors = places(self.regions), places(self.cursors)
        self.placement = dict(entry.partition("=")[::2] for entry in re.split(r"[\0\s]", self.placement))

    @classmethod
    def read(cls, data):
        """None when it has not been written to its end."""
        fields = words(data)
        return cls(fields) if fields and fields[-1] == "end" and len(fields) > len(cls.FIELDS) else None

    def argument(self, index):
        return self.arguments[index] if index < len(self.arguments) else ""


class Editor:
    def __init__(self, session, process, folder):
        self.session, self.process = session, process
        self.seen = folder / "seen"
        self.sent = 0

    def alive(self):
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        return True

    def run(self, *commands):
        """Runs commands, in this order and without a key of the user between; each is a list of words."""
        self.wait_seen()
        self.sent += 1
        script = [["echo", "-to-file", self.seen, self.sent], *commands]
        done = subprocess.run(
            ["kak", "-p", self.session], input="\n".join(map(line, script)).encode("utf-8", "surrogateescape"),
            check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            self.sent -= 1

    def wait_seen(self):
        """Two messages that Kakoune finds at once are taken in any order, so one is seen before the next is sent."""
        while self.sent and self.alive():
            try:
                if self.seen.read_text().strip() == str(self.sent):
                    return
            except OSError:
                pass
            time.sleep(0.001)

    @staticmethod
    def texts(*texts):
        return ["set-option", "global", "inkling_texts", *texts]

    @staticmethod
    def in_client(client, *command):
        """Nothing happens when the client has gone."""
        return ["try", f"evaluate-commands -client {quote(client)} {quote(line(command))}"]

    @staticmethod
    def in_buffer(buffer, client, *command):
        if "," in buffer:  # `-buffer` takes a list.
            return ["evaluate-commands", "-client", client, "-draft", f"buffer {quote(buffer)}\n{line(command)}"]
        return ["evaluate-commands", "-buffer", buffer, line(command)]

    def say(self, client, message, face="Information"):
        message = " ".join(message.split())
        self.run(["echo", "-debug", "inkling: " + message],
                 self.in_client(client, "echo", "-markup", "--", "{" + face + "}{\\}" + message))
