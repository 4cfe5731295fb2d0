"""What is shown of drafts: a box below the region, and a word in the mode line."""
import textwrap

import requests

COLUMNS, ROWS = 76, 14


def rows(text):
    found = []
    for line in text.splitlines():
        found += textwrap.wrap(line, COLUMNS, drop_whitespace=False, replace_whitespace=False) or [""]
    return found


def body(draft):
    if draft.state == "ready":
        found = rows(draft.text)
        if len(found) > ROWS:
            found = found[:ROWS] + [f"… {len(found) - ROWS} more lines: o opens all of it"]
        return found + ["! " + row for warning in draft.warnings for row in rows(warning)]
    return rows(draft.partial)[-ROWS:]


class Preview:
    def __init__(self, editor, daemon, drafts):
        self.editor, self.daemon, self.drafts = editor, daemon, drafts
        self.status = None

    def title(self, draft):
        words = requests.title(draft.verb, draft.params, self.daemon.offers)
        if draft.state == "ready":
            if len(draft.answers) > 1:
                words += f" {draft.index + 1}/{len(draft.answers)}"
            return f"{words}, {draft.progress}"
        return f"{words}, {draft.progress}…" if draft.progress else f"{words}…"

    def look(self, report):
        """A selection has moved: what is at it now?"""
        found = self.drafts.of(report)
        self.drafts.attention[report.client] = found
        self.drafts.dirty.update(found)

    def flush(self):
        """Shows what has changed, to those that look at it."""
        dirty, self.drafts.dirty = self.drafts.dirty, set()
        commands = []
        for client, seen in self.drafts.attention.items():
            if dirty.intersection(seen):
                commands += self.show(client, seen)
        busy = [draft for draft in self.drafts.all if draft.state != "ready"]
        status = ""
        if busy:
            status = f"inkling: {busy[0].progress or busy[0].state}" + (f" ({len(busy)})" if len(busy) > 1 else "")
        elif self.drafts.all:
            status = f"inkling: {len(self.drafts.all)} ready"
        if status != self.status:
            self.status = status
            commands.append(["set-option", "global", "inkling_status", status])
        if commands:
            self.editor.run(*commands)

    def show(self, client, seen):
        last = seen[-1]
        if len(seen) == 1:
            title, lines = self.title(last), body(last)
        else:
            ready = sum(draft.state == "ready" for draft in seen)
            title, lines = f"{len(seen)} texts, {ready} ready", []
            for number, draft in enumerate(seen, 1):
                first = (body(draft) or [draft.progress or "…"])
                lines.append(f"{number} {first[0]}" + (" …" if len(first) > 1 else ""))
            lines = lines[:ROWS]
        # Markup for the first line only; in each line `{\}` ends it.
        title = title.replace("\\", "\\\\").replace("{", "\\{")
        return [self.editor.texts("\n".join(["{InklingTitle}" + title, *("{\\}" + line for line in lines)])),
                self.editor.in_client(client, "inkling-show", last.buffer, last.name)]
