"""What can be done with an answer: accept, ask again, see others, the difference, keep it elsewhere."""
import requests

PUT = {"replace": "R", "below": "xp", "above": "xP"}
CHANGED = ("The text was changed since it was asked for, so the answer is not put in its place. "
           "Ask again (g), yank it (y), or discard it (d).")
OUTPUTS = {"replace": "replace", "insert": "below", "show": "buffer"}


class Actions:
    def __init__(self, editor, daemon, drafts, preview):
        self.editor, self.daemon, self.drafts, self.preview = editor, daemon, drafts, preview

    def unchanged(self, report, drafts):
        """Those whose text is what was asked about, with their places now; of the others it is said."""
        now = {place.name: (place, text) for place, text in zip(report.regions, report.texts)}
        if len(report.regions) != len(report.texts):
            now = {}
        kept = [(now[draft.name][0], draft) for draft in drafts
                if draft.name in now and now[draft.name][1] == draft.source]
        if len(kept) < len(drafts):
            self.editor.say(report.client or drafts[0].client, CHANGED, "Error")
        return sorted(kept, key=lambda pair: pair[0].begin)

    def placement(self, draft):
        name = draft.params.get("id") or draft.verb
        return draft.placement.get(name) or OUTPUTS.get(draft.output) or "replace"

    def accept(self, report):
        names = report.argument(1).split()
        drafts = self.drafts.chosen(report, names)
        by_placement = {}
        for draft in drafts:
            by_placement.setdefault(self.placement(draft), []).append(draft)
        for placement, group in by_placement.items():
            if placement in PUT:
                # After the first of them the ranges are those of before, so the others are looked at once more.
                self.put(report, placement, self.unchanged(report, group))
            else:
                self.elsewhere(report, placement, group)

    def put(self, report, placement, pairs):
        if not pairs:
            return
        texts = [draft.text for _, draft in pairs]
        ranges = [str(place) for place, _ in pairs]
        if placement != "replace":
            texts = [text if text.endswith("\n") else text + "\n" for text in texts]
            line = 0 if placement == "above" else 1
            ends = [(place.begin, place.end)[line][0] for place, _ in pairs]
            ranges = [f"{end}.1,{end}.1" for end in ends]
        names = " ".join(draft.name for _, draft in pairs)
        self.editor.run(
            self.editor.texts(*texts),
            self.editor.in_buffer(report.buffer, report.client or pairs[0][1].client, "inkling-apply",
                                  report.timestamp, report.argument(0), PUT[placement], names, *ranges))

    def elsewhere(self, report, placement, drafts):
        client = report.client or drafts[0].client
        self.drafts.close(drafts)
        if placement == "yank":
            self.editor.run(self.register(drafts))
            self.editor.say(client, "The answer is in the register \".")
        else:
            text = "\n".join(draft.text for draft in drafts)
            command = ["inkling-buffer", "*inkling*"] if placement == "buffer" else ["inkling-info"]
            self.editor.run(self.editor.texts(text), self.editor.in_client(client, *command))

    @staticmethod
    def register(drafts):
        return ["set-register", "dquote", *(draft.text for draft in drafts)]

    def yank(self, report):
        drafts = self.drafts.chosen(report)
        if drafts:
            self.editor.run(self.register(drafts))
            self.editor.say(report.client, "Yanked.")

    def applied(self, report):
        self.drafts.close([draft for draft in self.drafts.all if draft.name in report.argument(0).split()])

    def retry(self, report):
        """Another answer, about the text as it is now. The answers that are there stay."""
        drafts = self.drafts.chosen(report)
        now = {place.name: text for place, text in zip(report.regions, report.texts)}
        for draft in drafts:
            text = now.get(draft.name, draft.source) if len(report.regions) == len(report.texts) else draft.source
            if text != draft.source:
                draft.source, draft.answers, draft.index, draft.edits = text, [], 0, {}
            key = "topic" if draft.verb == "brainstorm" and draft.params["topic"] == draft.source else "text"
            if key in draft.params:
                draft.params = {**draft.params, key: text}
            draft.params = {**draft.params, "options": {"temperature": 0.8}}
            if report.argument(0):
                draft.params["instructions"] = report.argument(0)
            draft.state = "waiting"
            self.editor.run(["set-face", "global", draft.name, "InklingWaiting"])
        self.drafts.queue += drafts
        self.drafts.work()

    def next(self, report):
        for draft in self.drafts.chosen(report):
            draft.index = (draft.index + int(report.argument(0))) % len(draft.answers)
            self.drafts.dirty.add(draft)

    def open(self, report):
        self.read(report, [draft.text for draft in self.drafts.chosen(report)], "inkling-buffer", "*inkling*")

    def diff(self, report):
        shown = []
        for draft in self.drafts.chosen(report):
            edits = draft.edits.get(draft.index)
            if edits is None or (not edits and draft.text != draft.source):
                shown.append("[-" + draft.source + "-]\n{+" + draft.text + "+}")
            else:
                shown.append(requests.hunks(self.daemon, draft.source, edits))
        self.read(report, shown, "inkling-difference")

    def read(self, report, texts, *command):
        if texts:
            self.editor.run(self.editor.texts("\n".join(texts)), self.editor.in_client(report.client, *command))
