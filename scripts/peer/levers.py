"""Which lever gave what: our side as it is, against our side with one of them off."""
import subprocess

from . import ours as our_side
from .workloads import WORKLOADS, Bench

# The flag that switches a lever off, what it is, and the workloads in which it should show.
LEVERS = [
    ("--no-cache", "prefix cache", "abd"),
    ("--no-draft", "drafts from the source", "af"),
    ("--no-prewarm", "prewarm", "c"),
    ("--reproducible", "the fast mode", "ag"),
]


def knows_flag(binary, flag):
    text = subprocess.run([binary, "serve", "--help"], stdout=subprocess.PIPE, timeout=30).stdout.decode()
    return any(line.split()[:1] == [flag] for line in text.splitlines())


def measure(settings, model, supply, pairs, say):
    """Rows of ratios, on to off; and what could not be measured."""
    rows, notes = [], []
    for flag, name, keys in LEVERS:
        if not knows_flag(settings.binary, flag):
            notes.append(f"{flag} ({name}) is no flag of this program: not measured")
            continue
        usual, without = our_side.Ours(settings.binary, model), our_side.Ours(settings.binary, model, [flag])
        try:
            bench = Bench(usual, without, supply, pairs, say)
            for key in keys:
                for row in WORKLOADS[key](bench):
                    row.workload, row.what, row.target = key, f"{row.what}: {name}", None
                    rows.append(row)
        finally:
            usual.close()
            without.close()
    return rows, notes
