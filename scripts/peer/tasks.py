"""What is asked of both sides: tasks, as our daemon is asked for them and as the messages that it gives its model.

The messages are data, prompts.json. They are a copy of what the daemon says; that it is a true one shows in the number
of tokens that both sides count in the same prompt, which every run compares.
"""
import json
import math
import os
from dataclasses import dataclass, field

FOLDER = os.path.dirname(os.path.abspath(__file__))


def load(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


PROMPTS = load("prompts.json")


@dataclass
class Task:
    """Something to be done with a text, by `kind`."""

    kind: str
    text: str
    tone: str = ""
    #: Most tokens of the answer; None for what the daemon allows by itself.
    limit: int = None
    #: Of a chat, what was said before: (role, text).
    history: list = field(default_factory=list)

    def ours(self):
        """The method and the params of the daemon."""
        if self.kind == "rephrase":
            return "assistant/rephrase", {"text": self.text, "tone": self.tone, **self.options()}
        if self.kind == "brainstorm":
            return "assistant/brainstorm", {"topic": self.text, "kind": self.tone, **self.options(sampling="greedy")}
        if self.kind == "chat":
            return "assistant/chat", {"message": self.text, **self.options(sampling="greedy")}
        raise ValueError(self.kind)

    def options(self, **options):
        if self.limit:
            options["maxTokens"] = self.limit
        return {"options": options} if options else {}

    def messages(self):
        """What the model reads."""
        if self.kind == "rephrase":
            prompts = PROMPTS["rephrase"]
            tone = prompts["tones"][self.tone]
            pairs = [(tone["task"] + "\n\n" + source, answer) for source, answer in tone["examples"]]
            return conversation(prompts["system"], pairs, tone["task"] + "\n\n" + self.text)
        if self.kind == "brainstorm":
            kind = PROMPTS["brainstorm"]["kinds"][self.tone]
            topic, value = kind["example"]
            pairs = [(kind["task"].format(topic=topic), compact(value))]
            return conversation(PROMPTS["brainstorm"]["system"], pairs, kind["task"].format(topic=self.text))
        if self.kind == "chat":
            said = [message(role, text) for role, text in self.history]
            return [message("system", PROMPTS["chat"]["system"]), *said, message("user", self.text)]
        raise ValueError(self.kind)

    def schema(self):
        if self.kind != "brainstorm":
            return None
        properties = PROMPTS["brainstorm"]["kinds"][self.tone]["properties"]
        return {
            "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    def most_tokens(self):
        """How long the answer may be: what the daemon allows."""
        if self.limit:
            return self.limit
        if self.kind == "brainstorm":
            return 32 + longest(self.schema())
        if self.kind == "rephrase":
            return 48 + math.ceil(estimated_tokens(self.text) * PROMPTS["rephrase"]["tones"][self.tone]["growth"])
        return 1024


def message(role, text):
    return {"role": role, "content": text}


def conversation(system, pairs, last):
    said = [message(role, text) for pair in pairs for role, text in zip(("user", "assistant"), pair)]
    return [message("system", system), *said, message("user", last)]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def estimated_tokens(text):
    """As the daemon estimates them."""
    ascii_bytes = sum(1 for byte in text.encode() if byte < 0x80)
    return ascii_bytes // 3 + len(text.encode()) - ascii_bytes + 1


def longest(schema):
    """Tokens of the longest answer that a schema allows, as the daemon reckons."""
    if "properties" in schema:
        return sum((6 + longest(part) for part in schema["properties"].values()), 2)
    if "items" in schema:
        return 2 + schema["maxItems"] * longest(schema["items"])
    return 4 + schema["maxLength"]


# What each kind of text begins with.
STARTS = {"selections": "openers", "letters": "greetings"}


class Supply:
    """Texts that nobody has read before: each begins with other words."""

    def __init__(self, start=0):
        self.texts = load("texts.json")
        self.number = start

    def fresh(self, kind):
        """The next text of that kind."""
        openers, bodies = self.texts[STARTS[kind]], self.texts[kind]
        block, body = divmod(self.number, len(bodies))
        self.number += 1
        # Neighbours begin differently, and each text has every opener once; then a number makes new ones.
        again, first = divmod(block, len(openers))
        opener = openers[(first + 7 * body) % len(openers)]
        return " ".join(([f"Note {again}."] if again else []) + [opener, bodies[body]])

    def topic(self):
        topics = self.texts["topics"]
        number = self.number
        self.number += 1
        return topics[number % len(topics)] + (f", part {number // len(topics)}" if number >= len(topics) else "")

    def question(self, number):
        return self.texts["questions"][number % len(self.texts["questions"])]

    def story(self, characters):
        """A long text in paragraphs. Two of the same size have their paragraphs at the same places, but other numbers
        in them."""
        self.number += 1
        sentences, paragraphs, length, place = self.texts["story"], [], 0, 0
        while length < characters:
            # Four digits each, and none that comes again.
            numbers = [1000 + (self.number * 389 + place * 7 + step * 101) % 9000 for step in range(4)]
            chosen = [sentences[(place * 5 + step) % len(sentences)] for step in range(4)]
            paragraphs.append(" ".join(text.format(n=n) for text, n in zip(chosen, numbers)))
            length += len(paragraphs[-1]) + 2
            place += 1
        return "\n\n".join(paragraphs)[:characters]
