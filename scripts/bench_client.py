"""What the benchmarks of the daemon share: a client, and figures of processes."""
import json
import statistics
import subprocess
import sys
import time


class Daemon:
    """`inkling serve` in line framing."""

    def __init__(self, binary):
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "serve", "--framing", "line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.next_id = 0
        # Results that came while others were waited for.
        self.other = {}

    def send(self, method, params=None):
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params is not None:
            message["params"] = params
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.next_id

    def replies(self, ids, on_partial=None):
        """Reads until each of the ids is answered; gives the replies by id."""
        found = {}
        while len(found) < len(ids):
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the daemon closed its output")
            message = json.loads(line)
            if message.get("method") == "$/progress" and on_partial:
                on_partial(message["params"])
            elif message.get("id") in ids and "method" not in message:
                if "error" in message:
                    sys.exit("error: " + message["error"]["message"])
                found[message["id"]] = message["result"]
            elif "result" in message:
                self.other[message["id"]] = message["result"]
        return found

    def request(self, method, params=None, on_partial=None):
        identifier = self.send(method, params)
        return self.replies({identifier}, on_partial)[identifier]

    def wait_until_loaded(self):
        while True:
            status = self.request("model/status")
            if status["availability"]["state"] == "available":
                return status
            if status["availability"]["state"] == "unavailable":
                sys.exit("the model is unavailable: " + str(status["availability"]))
            time.sleep(0.02)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def memory_mb(pid):
    """Resident and proportional set size in MB (Linux; else None)."""
    try:
        rollup = open(f"/proc/{pid}/smaps_rollup").read()
        fields = {line.split(":")[0]: int(line.split()[1]) for line in rollup.splitlines()[1:] if "kB" in line}
        return {"rss": fields["Rss"] / 1024, "pss": fields["Pss"] / 1024}
    except OSError:
        return None


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}
