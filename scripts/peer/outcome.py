"""What one run of a side has come to, and the figures that are made of two of them."""
import statistics
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """One answer. Times are in seconds since it was asked for."""

    first: float = None
    seconds: float = 0.0
    text: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    #: What the side itself says about its first token, in milliseconds.
    engine_first_ms: float = None
    #: Of a summary, where the text was cut: (start, end) of each part.
    parts: list = field(default_factory=list)
    #: Why there is no answer.
    failure: str = None


@dataclass
class Sample:
    """The answers to tasks that were sent at once."""

    outcomes: list
    seconds: float

    @property
    def failures(self):
        return [outcome.failure for outcome in self.outcomes if outcome.failure]

    @property
    def first(self):
        times = [outcome.first for outcome in self.outcomes if outcome.first is not None]
        return statistics.median(times) if times else None

    @property
    def characters(self):
        return max(1, sum(len(outcome.text) for outcome in self.outcomes))

    @property
    def tokens(self):
        return sum(outcome.completion_tokens for outcome in self.outcomes)

    @property
    def prompt_tokens(self):
        return sum(outcome.prompt_tokens for outcome in self.outcomes)


@dataclass
class Row:
    """One line of the table: ratios of ours to the other side's, and what they are of."""

    workload: str
    what: str
    figure: str
    target: float = None
    ratios: list = field(default_factory=list)
    ours: list = field(default_factory=list)
    theirs: list = field(default_factory=list)
    tokens: list = field(default_factory=list)
    #: Of `ours` and `theirs`; what is not a time has another one.
    unit: str = "ms"
    note: str = ""

    def add(self, ours, theirs, ratio=None, tokens=None):
        self.ours.append(ours)
        self.theirs.append(theirs)
        self.ratios.append(ours / theirs if ratio is None else ratio)
        if tokens:
            self.tokens.append(tokens)

    @property
    def median(self):
        return statistics.median(self.ratios) if self.ratios else None

    @property
    def is_met(self):
        """Whether the median is within the target; None when there is nothing to say."""
        return None if self.target is None or not self.ratios else self.median <= self.target


def time_rows(workload, what, pairs, first_target=None, total_target=None, figures=("first", "total")):
    """The rows of samples in pairs, ours and theirs: first text, and total time for a character of the answer."""
    rows = []
    good = [pair for pair in pairs if not any(sample.failures for sample in pair)]
    note = "" if len(good) == len(pairs) else f"{len(pairs) - len(good)} of {len(pairs)} pairs failed"
    if "first" in figures:
        row = Row(workload, what, "first text", first_target, note=note)
        for ours, theirs in good:
            if ours.first and theirs.first:
                row.add(ours.first * 1000, theirs.first * 1000)
        rows.append(row)
    if "total" in figures:
        row = Row(workload, what, "total", total_target, note=note)
        single = Row(workload, what, "total, one draft")
        for ours, theirs in good:
            ratio = (ours.seconds / ours.characters) / (theirs.seconds / theirs.characters)
            sample = (ours.seconds * 1000, theirs.seconds * 1000, ratio, (ours.tokens, theirs.tokens))
            row.add(*sample)
            if calls(ours, theirs) == 1:
                single.add(*sample)
        rows.append(row)
        # Where ours drew again, the figure is of several answers; those with one are shown beside it.
        if 0 < len(single.ratios) < len(row.ratios):
            rows.append(single)
    return rows


def calls(ours, theirs):
    """How many answers of the model ours is made of: the other side has one for each task, of the same prompt."""
    return round(ours.prompt_tokens / max(1, theirs.prompt_tokens), 1)
