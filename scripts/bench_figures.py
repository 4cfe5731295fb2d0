"""What the benchmarks of the daemon share: figures of processes and of several runs, and how they are shown."""
import json
import os
import statistics
import sys


def default_pairs():
    """How many pairs of runs are compared when nothing else is said: BENCH_PAIRS, else five."""
    return int(os.environ.get("BENCH_PAIRS", 5))


def memory_mb(pid):
    """Resident, peak resident and proportional set size in MB (Linux; elsewhere None)."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            rollup = kilobytes(file.read())
        with open(f"/proc/{pid}/status") as file:
            status = kilobytes(file.read())
    except OSError:
        return None
    return {"rss": rollup["Rss"] / 1024, "peak": status["VmHWM"] / 1024, "pss": rollup["Pss"] / 1024}


def kilobytes(text):
    """The lines `Name:  12 kB` of a file in /proc."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0].rstrip(":"): int(row[1]) for row in rows if len(row) == 3 and row[2] == "kB"}


def cpu_seconds(pid):
    """What a process has computed so far (Linux; elsewhere None)."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return None


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def shown(value):
    if value is None:
        return "not known"
    if isinstance(value, dict):
        return "  ".join(f"{part} {shown(number)}" for part, number in value.items())
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return str(value)


def report(measurements, as_json):
    """Takes the measurements, pairs of a name and a function, and shows each when it is there: on standard output, or
    with `as_json` on standard error, and all of them on standard output as JSON. What a function gives is a dictionary
    of figures, or None; a member `table` has lines to be shown as they are."""
    results = {}
    stream = sys.stderr if as_json else sys.stdout
    for name, measure in measurements:
        figures = measure()
        lines = figures.pop("table", []) if figures else []
        results[name] = figures
        rows = [f"  {key:30} {shown(value)}" for key, value in (figures or {"": None}).items()]
        print("\n".join([name] + rows + lines), file=stream, flush=True)
    if as_json:
        print(json.dumps(results, indent=2))
