"""Drafts: a request about a region of a buffer, from the key that asks for it to the answer that is kept or not."""
import requests
from editor import line, valid

AT_WORK = 16  # More of them wait here for their turn.


class Draft:
    def __init__(self, name, report, place, source):
        self.name, self.place, self.source = name, place, source
        self.buffer, self.client, self.verb = report.buffer, report.client, report.verb
        self.preview, self.placement = report.preview == "true", report.placement
        self.method, self.params = requests.make(report, source)
        self.answers, self.index, self.edits, self.warnings = [], 0, {}, []
        self.request, self.partial, self.progress, self.state = None, "", "", "waiting"
        self.gone = False

    @property
    def text(self):
        return self.answers[self.index]


class Drafts:
    def __init__(self, editor, daemon):
        self.editor, self.daemon = editor, daemon
        self.all, self.queue, self.last = [], [], 0
        self.attention = {}  # By client: the drafts at its selections.
        self.dirty = set()

    # Asking

    def ask(self, report):
        pairs = {}
        for place, text in zip(report.cursors, report.texts):
            if not valid(text):
                return self.editor.say(report.client, "The selection is no valid UTF-8, or holds a NUL.", "Error")
            if text.strip() or report.argument(2):
                pairs[str(place)] = (place, text)
        if not pairs:
            return self.editor.say(report.client, "There is nothing but white space. Select some text.", "Error")
        try:
            made = []
            for place, text in pairs.values():
                self.last += 1
                made.append(Draft(f"Inkling{self.last}", report, place, text))
        except ValueError as problem:
            return self.editor.say(report.client, str(problem), "Error")
        old = [draft for draft in self.all if draft.buffer == report.buffer and any(
            place.name == draft.name and any(place.touches(new.place) for new in made) for place in report.regions)]
        self.close(old)
        self.all += made
        self.attention[report.client] = list(made)
        regions = [f"{draft.place}|{draft.name}" for draft in made]
        self.editor.run(
            *(["set-face", "global", draft.name, "InklingWaiting"] for draft in made),
            self.editor.in_buffer(report.buffer, report.client, "inkling-add", report.timestamp, *regions))
        self.queue += made
        self.work()

    def work(self):
        while self.queue and sum(draft.request is not None for draft in self.all) < AT_WORK:
            draft = self.queue.pop(0)
            draft.partial, draft.progress, draft.state = "", "", "waiting"
            draft.request = self.daemon.request(
                draft.method, draft.params, lambda *answer, draft=draft: self.answered(draft, *answer),
                lambda value, draft=draft: self.listen(draft, value))
            self.dirty.add(draft)

    def listen(self, draft, value):
        if value["kind"] in ("begin", "report"):
            percent = value.get("percentage")
            words = value.get("message") or value.get("title") or draft.progress
            draft.progress = words if percent is None else f"{words} {percent} %"
        elif value["kind"] in ("text", "structured"):
            draft.partial, draft.state = requests.partial(self.daemon, draft.partial, value), "writing"
        self.dirty.add(draft)

    def answered(self, draft, error, result):
        draft.request = None
        self.work()
        if draft.gone:
            return
        texts = [] if error else requests.answers(draft.verb, result)
        if error or not texts:
            message = requests.explain(error) if error else "The answer is empty. Nothing was changed."
            if not error or error.get("code") != -32800:
                self.editor.say(draft.client, message, "Error")
            # What was there before another try is there still.
            return self.settle(draft) if draft.answers else self.close([draft])
        draft.index = len(draft.answers)
        draft.answers += texts
        draft.edits[draft.index] = result.get("edits") or []
        draft.warnings = [warning["message"] for warning in result["warnings"]]
        usage = result["usage"]
        seconds = (usage["durationMs"] - usage["timeToFirstTokenMs"]) / 1000
        rate = f", {usage['completionTokens'] / seconds:.0f}/s" if seconds > 0 else ""
        draft.progress = f"{usage['completionTokens']} tokens{rate}"
        draft.output = result.get("output")
        self.settle(draft)
        if not draft.preview:
            for warning in draft.warnings:
                self.editor.say(draft.client, warning)
            self.editor.run(self.editor.in_buffer(
                draft.buffer, draft.client, "inkling-verify", "accept", "", draft.name))

    def settle(self, draft):
        draft.state = "ready"
        self.editor.run(["set-face", "global", draft.name, "InklingReady"])
        self.dirty.add(draft)

    # Finding

    def of(self, report, names=()):
        """Those that are named, else those at the selections."""
        mine = [draft for draft in self.all if draft.buffer == report.buffer]
        if list(names) == ["all"]:
            return mine
        if names:
            return [draft for draft in mine if draft.name in names]
        touched = {place.name for place in report.regions if any(place.touches(one) for one in report.cursors)}
        return [draft for draft in mine if draft.name in touched]

    def chosen(self, report, names=()):
        """The same; the only one of a buffer needs no cursor. Says so when there is none."""
        found = self.of(report, names)
        mine = [draft for draft in self.all if draft.buffer == report.buffer]
        if not found and not names and len(mine) == 1:
            found = mine
        ready = [draft for draft in found if draft.state == "ready"]
        if not ready:
            message = "It is still being written." if found else "There is no answer at the selections."
            self.editor.say(report.client, message, "Error")
        return ready

    # Ending

    def close(self, drafts):
        """Ends drafts and takes all that is shown of them away; requests that run are cancelled."""
        drafts = [draft for draft in drafts if not draft.gone]
        if not drafts:
            return
        for draft in drafts:
            draft.gone = True
            if draft.request is not None:
                self.daemon.cancel(draft.request)
            self.dirty.discard(draft)
        self.all = [draft for draft in self.all if not draft.gone]
        self.queue = [draft for draft in self.queue if not draft.gone]
        for client, seen in self.attention.items():
            if any(draft.gone for draft in seen):
                self.attention[client] = [draft for draft in seen if not draft.gone]
                self.editor.run(self.editor.in_client(client, "info"))
        for buffer in {draft.buffer for draft in drafts}:
            mine = [draft for draft in drafts if draft.buffer == buffer]
            self.editor.run(
                ["try", line(self.editor.in_buffer(
                    buffer, mine[0].client, "inkling-drop", *(draft.name for draft in mine)))],
                *(["unset-face", "global", draft.name] for draft in mine))
        self.work()

    def stop(self, report, everywhere=False, elsewhere=True):
        """Only what is still at work; answers that were there before another try stay."""
        found = self.all if everywhere else self.of(report)
        found = [draft for draft in found if draft.state != "ready"]
        if not found and elsewhere:
            found = [draft for draft in self.all if draft.state != "ready"][-1:]
        if not found and elsewhere:
            return self.editor.say(report.client, "Nothing is being written.")
        again = [draft for draft in found if draft.answers]
        for draft in again:
            if draft in self.queue:
                self.queue.remove(draft)
                self.settle(draft)
            else:
                self.daemon.cancel(draft.request)
        self.close([draft for draft in found if not draft.answers])

    def close_buffer(self, buffer):
        for draft in self.all:
            draft.gone = draft.gone or draft.buffer == buffer
            if draft.gone and draft.request is not None:
                self.daemon.cancel(draft.request)
        self.all = [draft for draft in self.all if not draft.gone]
        self.queue = [draft for draft in self.queue if not draft.gone]
        self.dirty = {draft for draft in self.dirty if not draft.gone}
