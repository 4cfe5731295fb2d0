#!/usr/bin/env python3
"""Benchmarks of the daemon that editors share: its memory with 1 and with 12 clients, many starts at once, how soon
`initialize` is answered, and what the bridge costs.

    scripts/bench-shared.py [--binary .build/release/inkling] [--runs 5] [--json]

The daemon has a folder of its own for its socket, so that one that runs is left alone.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from bench_figures import default_pairs, memory_mb, report, spread  # noqa: E402
from wire import Daemon  # noqa: E402


class Shared:
    """Clients of one shared daemon."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.environment = {"XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder}

    def connect(self):
        return Daemon(self.binary, command="connect", environment=self.environment)

    def run(self, *arguments):
        return subprocess.run(
            [self.binary, *arguments], env={**os.environ, **self.environment}, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=60).stdout

    def status(self):
        return json.loads(self.run("status", "--json"))

    def stop(self):
        self.run("stop", "--force")


def answered(client):
    return (time.monotonic() - client.started) * 1000


def first_answers(shared, runs):
    cold, warm, private = [], [], []
    for _ in range(runs):
        shared.stop()
        client = shared.connect()
        cold.append(answered(client))
        client.model_facts()
        second = shared.connect()
        warm.append(answered(second))
        alone = Daemon(shared.binary)
        private.append(answered(alone))
        for peer in (client, second, alone):
            peer.close()
    return {
        "connect, no daemon, ms": spread(cold), "connect, daemon there, ms": spread(warm),
        "serve, ms": spread(private),
    }


def many_starts(shared, count):
    shared.stop()
    began = time.monotonic()
    clients = [
        subprocess.Popen(
            [shared.binary, "connect", "--framing", "line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, **shared.environment}) for _ in range(count)
    ]
    for number, client in enumerate(clients):
        for message in (
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
            {"jsonrpc": "2.0", "id": 2, "method": "assistant/countTokens", "params": {"text": f"client {number}"}},
        ):
            client.stdin.write(json.dumps(message).encode() + b"\n")
        client.stdin.flush()
    answers = [[], []]
    for client in clients:
        for kind in range(2):
            while json.loads(client.stdout.readline()).get("id") != kind + 1:
                pass
            answers[kind].append((time.monotonic() - began) * 1000)
    status = shared.status()
    log = open(os.path.join(shared.environment["XDG_STATE_HOME"], "inkling", "daemon.log")).read()
    for client in clients:
        client.stdin.close()
        client.wait()
    return {
        "clients": len(status["clients"]) - 1,
        "daemons that served": log.count("serving at") - many_starts.served,
        "all initialized after ms": max(answers[0]), "all answered by the model after ms": max(answers[1]),
    }


def memory(shared, count):
    shared.stop()
    clients = [shared.connect()]
    clients[0].model_facts()
    clients[0].request("assistant/rephrase", {"text": "The train is late again.", "options": {"maxTokens": 32}})

    def figures():
        status = shared.status()
        daemon, engine = status["processId"], status["model"]["engine"]["processId"]
        parts = [memory_mb(daemon), memory_mb(engine)] + [memory_mb(client.process.pid) for client in clients]
        if None in parts:
            return None
        return {
            "daemon": parts[0]["pss"], "engine": parts[1]["pss"],
            "a bridge": sum(part["pss"] for part in parts[2:]) / len(clients),
            "all": sum(part["pss"] for part in parts),
        }

    one = figures()
    while len(clients) < count:
        clients.append(shared.connect())
        clients[-1].request("model/status", {})
    many = figures()
    for client in clients:
        client.close()
    return {"1 client, MB": one, f"{count} clients, MB": many}


def round_trips(shared, runs):
    """`model/status` in turn through the bridge and to a daemon of its own: what the bridge adds."""
    bridged, alone = shared.connect(), Daemon(shared.binary)
    for peer in (bridged, alone):
        peer.model_facts()
    times = {bridged: [], alone: []}
    for _ in range(runs):
        for peer in (bridged, alone, alone, bridged):
            began = time.monotonic()
            for _ in range(200):
                peer.request("model/status", {})
            times[peer].append((time.monotonic() - began) / 200 * 1e6)
    for peer in (bridged, alone):
        peer.close()
    return {
        "through the bridge, µs": spread(times[bridged]), "directly, µs": spread(times[alone]),
        "ratio": spread([left / right for left, right in zip(times[bridged], times[alone])]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=".build/release/inkling")
    parser.add_argument("--runs", type=int, default=default_pairs())
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shared = Shared(os.path.abspath(options.binary), folder)
        log = os.path.join(folder, "inkling", "daemon.log")

        def starts():
            many_starts.served = open(log).read().count("serving at") if os.path.exists(log) else 0
            return many_starts(shared, 30)

        try:
            report([
                ("the first answer", lambda: first_answers(shared, options.runs)),
                ("30 starts at once", starts),
                ("memory (proportional set size)", lambda: memory(shared, 12)),
                ("a round trip", lambda: round_trips(shared, options.runs)),
            ], options.json)
        finally:
            shared.stop()


if __name__ == "__main__":
    main()
