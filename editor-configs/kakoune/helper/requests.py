"""What is asked of the daemon, and what its answer says, as texts to paste."""

LANGUAGES = {"sh": "shellscript", "plain": "plaintext"}
FORMATS = {"markdown": "markdown", "latex": "latex", "org": "org"}
STYLES = ("sentences", "bullets", "headline")


def common(report):
    params = {}
    if report.voice:
        params["personality"] = report.voice
    if report.instructions:
        params["instructions"] = report.instructions
    if report.filetype:
        params["context"] = {"languageId": LANGUAGES.get(report.filetype, report.filetype)}
    return params


def number(text, what):
    if not text.isdigit():
        raise ValueError(f"{what} must be a number, not “{text}”")
    return int(text)


def make(report, text):
    """The method and the parameters; raises ValueError with a sentence for a person."""
    params, first = common(report), report.argument(0)
    form = FORMATS.get(report.filetype, "plaintext")
    if report.verb == "rephrase":
        params["text"] = text
        if first or report.tone:
            params["tone"] = first or report.tone
        if report.alternatives != "1":
            params["alternatives"] = number(report.alternatives, "inkling_alternatives")
    elif report.verb == "summarize":
        style, count = (first, report.argument(1)) if not first.isdigit() else ("", first)
        params["text"] = text
        if style:
            params["style"] = style
        if count:
            params["count"] = number(count, "the number of sentences")
    elif report.verb == "brainstorm":
        params["topic"], params["format"] = report.argument(2) or text, form
        if first:
            params["kind"] = first
        if report.argument(1):
            params["count"] = number(report.argument(1), "the number of ideas")
    else:
        params["id"], params["text"], params["format"] = first, text, form
    return "assistant/" + report.verb, params


def title(verb, params, offers):
    name = params.get("id") or verb
    feature = next((feature["title"] for feature in offers.get("features", []) if feature["id"] == name), None)
    more = params.get("tone") or params.get("style") or params.get("kind")
    return (feature or name.capitalize()) + (f": {more}" if more else "")


def answers(verb, result):
    texts = result.get("alternatives") or [result.get("rendered", result.get("text", ""))]
    return [text for text in texts if text.strip()]


def flatten(value, indent=""):
    """A value that is still being written, in lines to look at."""
    if isinstance(value, dict):
        value = [f"{key}: {flatten(item, indent + '  ')}" for key, item in value.items()]
        return "\n".join(indent + item for item in value)
    if isinstance(value, list):
        return "".join("\n" + indent + "- " + str(flatten(item, indent + "  ")) for item in value)
    return str(value)


def partial(daemon, shown, value):
    """What is shown after a partial result."""
    if value["kind"] == "structured":
        return flatten(value["value"])
    if "text" in value:
        return value["text"]
    return daemon.cut(shown, value["offset"]) + value["delta"]


def explain(error):
    data = error.get("data") or {}
    message, remedy = error.get("message", "The request failed."), data.get("remedy")
    return message if not remedy or remedy in message else f"{message} {remedy}"


def hunks(daemon, source, edits):
    """The source with what is taken out in [-…-] and what is put in in {+…+}."""
    shown, position = "", 0
    for edit in edits:
        start, end = len(daemon.cut(source, edit["start"])), len(daemon.cut(source, edit["end"]))
        shown += source[position:start]
        if end > start:
            shown += "[-" + source[start:end] + "-]"
        if edit["newText"]:
            shown += "{+" + edit["newText"] + "+}"
        position = end
    return shown + source[position:]
