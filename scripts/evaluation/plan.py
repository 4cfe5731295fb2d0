"""What is asked, and how each arm asks it."""
import json

TONES = ["formal", "exciting", "simpler", "shorter", "longer", "friendly", "proofread"]
SUMMARIES = [("sentences", 2), ("sentences", 1), ("bullets", 3), ("headline", 1)]
TOPICS = [
    "a lighthouse that is afraid of the dark", "a kite who wants to see the sea", "robots that keep a vegetable garden",
]
KINDS = {
    "ideas": ["concepts", "themes", "suggestedTitle"],
    "sequel": ["concepts", "themes", "suggestedTitle"],
    "character": ["name", "species", "personality", "motivation", "flaw", "catchphrase"],
    "storyArc": ["movieTitle", "setting", "incitingIncident", "centralConflict", "darkestMoment", "resolution",
                 "theme"],
    "tags": ["tags"],
}
LISTS = {"concepts", "themes", "tags"}
SCHEMAS = [
    ("Make up a friendly dragon for a picture book.", {
        "type": "object", "required": ["name", "age", "colour"], "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "maxLength": 40}, "age": {"type": "integer", "minimum": 1, "maximum": 900},
            "colour": {"enum": ["green", "red", "blue"]}}}),
    ("Name three things to take on a hike.", {
        "type": "array", "items": {"type": "string", "maxLength": 30}, "minItems": 3, "maxItems": 3}),
]

# What somebody would type who has a model and no product around it.
PLAIN_TASKS = {
    "formal": "Rewrite the following text in a formal tone:",
    "exciting": "Rewrite the following text in an exciting tone:",
    "simpler": "Rewrite the following text in simpler words:",
    "shorter": "Make the following text shorter:",
    "longer": "Make the following text longer:",
    "friendly": "Rewrite the following text in a friendly tone:",
    "proofread": "Correct the spelling and grammar of the following text:",
    "sentences": "Summarize the following text in %d sentences:",
    "bullets": "Summarize the following text in %d bullet points:",
    "headline": "Write a headline for the following text:",
}


class Item:
    """One thing to be done, the same for every arm."""

    def __init__(self, feature, variant, text, count=None, schema=None):
        self.feature = feature
        self.variant = variant
        self.text = text
        self.count = count
        self.schema = schema
        self.timed = False

    def record(self, arm):
        return {
            "arm": arm, "feature": self.feature, "variant": self.variant, "count": self.count, "id": self.text["id"],
            "language": self.text["language"], "languageId": self.text["languageId"], "source": self.text["text"],
            "keep": self.text["keep"], "schema": self.schema, "timed": self.timed}


def topic(text):
    return {"id": text[:24], "language": "en", "languageId": "plaintext", "text": text, "keep": []}


def items(texts, pitch, tones, features, rounds):
    """Everything, in an order in which a limited run sees every feature and tone and many kinds of text."""
    rephrase, summarize, brainstorm, generate = [], [], [], []
    if "rephrase" in features:
        # Diagonals of texts × tones: each round every text meets another tone, and neighbours differ in both.
        for shift in range(min(rounds, len(tones))):
            rephrase += [Item("rephrase", tones[(i + shift) % len(tones)], text) for i, text in enumerate(texts)]
    if "summarize" in features:
        long = [dict(topic(pitch), id="pitch")] + [t for t in texts if len(t["text"]) > 150 and t["language"] == "en"]
        summarize = [Item("summarize", style, text, count) for text in long[:6] for style, count in SUMMARIES]
    if "brainstorm" in features:
        brainstorm = [Item("brainstorm", kind, topic(t), 3) for t in TOPICS for kind in KINDS]
    if "generate" in features:
        generate = [Item("generate", "schema", topic(p), None, schema) for p, schema in SCHEMAS]
    spread = [((index + 0.5) / len(part), item)
              for part in (rephrase, summarize, brainstorm, generate) for index, item in enumerate(part)]
    return [item for _, item in sorted(spread, key=lambda entry: entry[0])]


def timed_items(texts, pitch, tones, features):
    """A few, to be run one after another: their times are not those of a crowd."""
    chosen = [t for t in texts if t["id"] in ("plain-1", "plain-2", "plain-5", "typos-1", "email-quote", "md-list")]
    result = []
    if "rephrase" in features:
        result += [Item("rephrase", tone, text) for text in chosen for tone in tones[:1]]
    if "summarize" in features:
        result += [Item("summarize", "sentences", dict(topic(pitch), id="pitch"), 2)]
    for item in result:
        item.timed = True
    return result


def daemon_request(item, seed):
    """The method and parameters of our arm."""
    text = item.text["text"]
    params = {"options": {"seed": seed}}
    if item.feature in ("rephrase", "summarize"):
        # As editors do: what a mark at the start of a line means depends on it.
        params["context"] = {"languageId": item.text["languageId"]}
    if item.feature == "rephrase":
        params.update(text=text, tone=item.variant)
    elif item.feature == "summarize":
        params.update(text=text, style=item.variant, count=item.count)
    elif item.feature == "brainstorm":
        params.update(topic=text, kind=item.variant, count=item.count)
    else:
        params.update(prompt=text, schema=item.schema)
    return "assistant/" + item.feature, params


def output_tokens(text):
    """A generous limit for an answer: what is longer runs in circles."""
    return 96 + len(text.encode()) * 3 // 2 if text.isascii() else 96 + len(text.encode()) * 2


def plain_request(item, seed):
    """Engine parameters of the plain arm: one message, no brake, greedy."""
    text = item.text["text"]
    if item.feature == "brainstorm":
        keys = ", ".join('"%s"' % key for key in KINDS[item.variant])
        task = "Brainstorm (%s, %d of each list) about the following topic, as a JSON object with the keys %s:" % (
            item.variant, item.count, keys)
    elif item.feature == "generate":
        task = "Answer in JSON that follows this JSON Schema: %s" % json.dumps(item.schema)
    else:
        task = PLAIN_TASKS[item.variant]
        if "%d" in task:
            task = task % item.count
    limit = 300 if item.feature in ("brainstorm", "generate") else output_tokens(text)
    return {"messages": [{"role": "user", "text": task + "\n\n" + text}], "maxTokens": min(limit, 1000),
            "sampling": {"seed": seed}}


def prompts_request(prompts, item, seed):
    """Engine parameters for prompts from a file: {"system", "tones": {tone: {"task", "examples", "sampling"}}}, for
    trying them out. Nothing is done to the text that comes back but that its edges are the source's."""
    tone = dict(prompts["tones"].get("*", {}), **prompts["tones"].get(item.variant, {}))
    system = tone.get("system", prompts.get("system"))
    task = tone["task"] + "\n\n" if tone.get("task") else ""
    messages = [{"role": "system", "text": system}] if system else []
    pinned = len(messages)
    for source, result in tone.get("examples", []):
        messages += [{"role": "user", "text": task + source}, {"role": "assistant", "text": result}]
    messages.append({"role": "user", "text": task + item.text["text"].strip()})
    return {"messages": messages, "pinnedMessages": pinned, "maxTokens": min(output_tokens(item.text["text"]), 1000),
            "sampling": dict({"seed": seed}, **tone.get("sampling", {}))}
