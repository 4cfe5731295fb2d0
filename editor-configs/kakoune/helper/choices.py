"""What can be completed: files with one word a line, and the same on standard output before there are files."""
import json
import pathlib
import subprocess

from daemon import Daemon
from requests import STYLES

COMMON = ("rephrase", "summarize", "brainstorm", "chat")


def lists(offers):
    found = {name: [choice["id"] for choice in offers.get(key, [])]
             for name, key in (("tones", "tones"), ("kinds", "kinds"), ("voices", "personalities"))}
    found["commands"] = [feature["id"] for feature in offers.get("features", []) if feature["id"] not in COMMON]
    found["commands"] = [name for name in found["commands"] if name != "generate"]
    found["menu"] = (
        ["rephrase " + tone for tone in found["tones"]] + ["summarize " + style for style in STYLES]
        + ["brainstorm " + kind for kind in found["kinds"]] + found["commands"] + ["chat", "status", "doctor"])
    return found


def write(folder, offers):
    for name, words in lists(offers).items():
        pathlib.Path(folder, name).write_text("".join(word + "\n" for word in words))


def models(command):
    done = subprocess.run([command[0], "models", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, timeout=5, check=False)
    return [model["path"] for model in json.loads(done.stdout)["models"]]


def show(name, command, events):
    """Asks a daemon for them; a list is not worth more than two seconds."""
    if name == "models":
        words = models(command)
    else:
        daemon = Daemon(command, lambda *event: events.put(event))
        daemon.start()
        while not daemon.offers:
            callback, *arguments = events.get(timeout=2)
            callback(*arguments)
        daemon.close()
        words = lists(daemon.offers)[name]
    print("\n".join(words))
