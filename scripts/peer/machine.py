"""Whether the machine was ours: what other programs computed while something was measured."""
import os
import resource
import time


class Others:
    """From its making on. `sides` are those whose processes still run; what has ended is known by itself."""

    def __init__(self, *sides):
        self.sides = sides
        self.began = time.monotonic()
        self.all, self.own = busy_seconds(), self.own_seconds()

    def percent(self):
        """Of all processors' time (Linux; elsewhere None)."""
        everything, own = busy_seconds(), self.own_seconds()
        if None in (self.all, self.own, everything, own):
            return None
        wall = max(time.monotonic() - self.began, 1e-9) * os.cpu_count()
        return max(0.0, (everything - self.all - (own - self.own)) / wall * 100)

    def own_seconds(self):
        live = [side.cpu() for side in self.sides]
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return None if None in live else sum(live) + sum(usage.ru_utime + usage.ru_stime for usage in usages)


def busy_seconds():
    """What all processors have computed so far."""
    try:
        with open("/proc/stat") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
    except OSError:
        return None
    user, nice, system, _, _, interrupts, soft_interrupts, stolen = fields
    busy = user + nice + system + interrupts + soft_interrupts + stolen
    return busy / os.sysconf("SC_CLK_TCK")
