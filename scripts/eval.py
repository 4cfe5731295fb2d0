#!/usr/bin/env python3
"""Evaluates what Inkling writes, and prints tables: our pipeline beside a plain one-line prompt, or two models.

    scripts/eval.py [options]            runs, measures, prints; `make eval` builds first
    scripts/eval.py --compare A B        measures files of former runs side by side, runs nothing
    scripts/eval.py --self-test          tests the measures themselves

Tests/Evaluation/README.md says what the rows mean. Each option can also be given as a variable: EVAL_MODEL for --model.
"""
import argparse
import json
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from evaluation import plan, report, runner, selftest  # noqa: E402
from wire import PeerError  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "Tests", "Evaluation")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def add(name, default, text, kind=str):
        parser.add_argument(name, type=kind, default=os.environ.get("EVAL_" + name[2:].upper()) or default, help=text)

    add("--binary", os.path.join(ROOT, ".build", "release", "inkling"), "the program")
    add("--model", "", "GGUF files, a comma between them; without it the program's own choice")
    add("--arms", "inkling,plain", "inkling, plain, or files of prompts")
    add("--features", "rephrase,summarize,brainstorm,generate", "what is asked")
    add("--tones", ",".join(plan.TONES), "of rephrase")
    add("--texts", "", "only texts whose id begins with one of these")
    add("--rounds", "3", "how many tones each text is rephrased in; 7 = all", positive)
    add("--limit", "0", "only so many items of each arm; 0 = all", int)
    add("--timed", "1", "0: no requests one at a time for their times", int)
    add("--width", "4", "requests in flight at once", positive)
    add("--seed", "1", "of every request", int)
    add("--out", os.path.join(ROOT, ".build", "eval"), "folder for runs.jsonl, table.md and table.json")
    add("--against", "", "the runs.jsonl of a former run, shown beside this one")
    parser.add_argument("--compare", nargs="+", metavar="RUNS", help="files of former runs")
    parser.add_argument("--self-test", action="store_true", help="tests the measures")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")
    return parser.parse_args()


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("wants a number from 1")
    return number


def chosen(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def load_texts(starts):
    with open(os.path.join(FOLDER, "selections.json"), encoding="utf-8", newline="") as file:
        texts = json.load(file)
    with open(os.path.join(FOLDER, "pitch.txt"), encoding="utf-8") as file:
        pitch = file.read()
    if starts:
        texts = [text for text in texts if any(text["id"].startswith(start) for start in starts)]
    if not texts:
        sys.exit("error: no text has an id like that\n  try: the ids in Tests/Evaluation/selections.json")
    return texts, pitch


def run_all(settings):
    """Runs every arm with every model and writes the records; gives the lines that name the conditions."""
    texts, pitch = load_texts(chosen(settings.texts))
    tones, features = chosen(settings.tones), chosen(settings.features)
    unknown = [tone for tone in tones if tone not in plan.TONES] + [f for f in features if f not in report.ROWS]
    if unknown:
        sys.exit("error: unknown: %s\n  try: scripts/eval.py --help" % ", ".join(unknown))
    items = plan.items(texts, pitch, tones, features, settings.rounds)
    limit = settings.limit
    if limit > 0:
        items = items[:limit]
    timed = plan.timed_items(texts, pitch, tones, features)[:limit or None] if settings.timed else []
    os.makedirs(settings.out, exist_ok=True)
    notes = []
    with open(os.path.join(settings.out, "runs.jsonl"), "w", encoding="utf-8") as file:
        def emit(record):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()

        models = chosen(settings.model) or [None]
        for model in models:
            model = os.path.abspath(model) if model else None
            loaded = loaded_model(settings.binary, model)
            base = os.path.basename(loaded)
            for name in chosen(settings.arms):
                arm = runner.make_arm(name, settings.binary, model, loaded)
                label = arm.name if len(models) == 1 else "%s, %s" % (arm.name, base)
                arm.name = label
                started = time.monotonic()
                # The first request pays for the shared prompt; times are of a warm daemon.
                runner.run(arm, items, settings.width, emit, settings.seed)
                runner.run(arm, timed, 1, emit, settings.seed, title=label + ", one at a time")
                notes.append("%s: %s, %.0f s%s" % (
                    label, base, time.monotonic() - started,
                    "; not served: " + ", ".join(sorted(arm.absent)) if arm.absent else ""))
                arm.peer.close()
    return notes


def loaded_model(binary, model):
    """The file that the daemon loads, as it says itself: every arm works with the same weights."""
    arm = runner.DaemonArm(binary, model)
    arm.peer.close()
    return arm.facts["path"]


def read_runs(path, prefix=""):
    """{arm: records} of one file."""
    arms = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            arms.setdefault(prefix + record["arm"], []).append(record)
    return arms


def kind(name):
    """What an arm is, without the file it was read from and the model it ran with."""
    return name.rsplit(": ", 1)[-1].split(", ")[0]


def main():
    settings = options()
    if settings.self_test:
        sys.exit(selftest.main())
    notes = []
    former = {}
    if settings.compare:
        arms = {}
        for path in settings.compare:
            label = os.path.splitext(os.path.basename(path))[0]
            arms.update(read_runs(path, label + ": " if len(settings.compare) > 1 else ""))
    else:
        try:
            notes = run_all(settings)
        except (PeerError, OSError, subprocess.SubprocessError) as error:
            sys.exit("error: %s\n  try: make build, then `inkling doctor`" % error)
        arms = read_runs(os.path.join(settings.out, "runs.jsonl"))
        if settings.against:
            former = read_runs(settings.against, "before: ")
    ours = next((name for name in arms if kind(name) == "inkling"), None)
    plain = next((name for name in arms if kind(name) == "plain"), None)
    arms.update(former)
    pairs = {name: report.measured(records) for name, records in arms.items()}
    lines, figures = report.feature_tables(arms, pairs)
    reached = report.targets(figures[ours], figures.get(plain, {})) if ours else []
    details = []
    for name in arms:
        if name != plain or ours is None:
            lines += report.breakdown(name, pairs[name], "tone", "variant")
            lines += report.breakdown(name, pairs[name], "language", "language")
            details += report.breakdown(name, pairs[name], "text", "id")
    lines += report.target_lines(reached) if reached else []
    lines += notes
    data = {"notes": notes, "arms": figures,
            "targets": [dict(zip(("what", "wanted", "got", "passed"), entry)) for entry in reached]}
    if not settings.compare:
        with open(os.path.join(settings.out, "table.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines + [""] + details))
        with open(os.path.join(settings.out, "table.json"), "w", encoding="utf-8") as file:
            json.dump(data, file, ensure_ascii=False, indent=1)
        lines.append("every text and every run: %s" % settings.out)
    print(json.dumps(data, ensure_ascii=False, indent=1) if settings.json else "\n".join(lines))


if __name__ == "__main__":
    main()
