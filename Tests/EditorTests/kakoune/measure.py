"""From the last key to the first word in the box, with the real program and a daemon that is warm."""
import statistics
import time

from driver import Kak, wait
from test_features import real, stop

TEXTS = (
    "gonna be late tmrw, train is broken again", "the soup was cold and nobody said sorry",
    "can u send me the report till friday", "we dont have enough chairs for everybody",
    "he never told us that the shop was closed",
)


def measure():
    with Kak("\n\n".join(TEXTS) + "\n", command=[real(), "connect"]) as kak:
        try:
            seconds = []
            for number in range(len(TEXTS) + 1):
                line = 2 * max(number - 1, 0) + 1
                kak.select(f"{line}.1,{line}.{len(TEXTS[max(number - 1, 0)])}").keys(":enter-user-mode inkling<ret>")
                began = time.monotonic()
                kak.send("keys", "r")
                wait(lambda: "\n" in kak.info and kak.info.startswith("Rephrase"), "a word", 60)
                seconds.append(time.monotonic() - began)
                wait(lambda: "ready" in kak.get("%opt{inkling_status}")[0], "the answer", 60)
                kak.command("inkling-discard").wait_clean()
            print(f"median {statistics.median(seconds[1:]):.2f} s of {len(TEXTS)} texts, first {seconds[0]:.2f} s")
        finally:
            stop(kak)
