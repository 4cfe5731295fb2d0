"""Looks at one record and says how it is: a flat table of names and figures. A share is True or False (or a number
from 0 to 1); None means that the question does not arise."""
import re

from . import form, words
from .plan import KINDS, LISTS

# Form rows: with our pipeline each must be 100 %.
FORM = ["no preamble", "no enclosing quotes", "fences", "edges", "line prefixes", "hard wrapping", "structure",
        "line ends", "no template marks"]


def measure(record):
    """The figures of one record. Without an output only `answered` is there."""
    result = {"answered": record["error"] is None and (record["output"] is not None or record["value"] is not None)}
    if not result["answered"]:
        return result
    if record["feature"] == "rephrase":
        result.update(rephrase(record))
    elif record["feature"] == "summarize":
        result.update(summary(record))
    else:
        result.update(structured(record))
    result["deltas equal the text"] = record["deltas"]
    result["retried"] = "retried" in record["warnings"]
    return result


def measure_all(records):
    """The figures of many records of one arm, with what shows only in all of them together."""
    result = [measure(record) for record in records]
    texts = [(entry, record) for entry, record in zip(result, records)
             if record["feature"] == "rephrase" and record["output"] is not None]
    found = words.stock_phrases([(record["id"], record["source"], record["output"]) for _, record in texts])
    for (entry, _), stock in zip(texts, found):
        entry["stock phrases"] = stock
    return result


def shared(record):
    source, output, warnings = record["source"], record["output"], record["warnings"]
    hidden = form.hidden_told(source, output, warnings)
    language = words.language_kept(record["language"], output)
    return {
        "no preamble": form.no_preamble(source, output),
        "no enclosing quotes": form.no_quotes(source, output),
        "no template marks": form.no_template(source, output),
        "no refusal as text": form.no_refusal(source, output),
        "hidden characters told": hidden,
        "language kept": language,
        "language kept or warned": None if language is None else language or "languageChanged" in warnings,
        "loop": words.loops(source, output),
        "empty": not output.strip(),
        "cut short": record["finishReason"] not in (None, "stop"),
    }


def rephrase(record):
    source, output, warnings = record["source"], record["output"], record["warnings"]
    language_id = record["languageId"]
    result = shared(record)
    result.update({
        "fences": form.fences_kept(source, output),
        "edges": form.edges_kept(source, output),
        "line prefixes": form.prefixes_kept(source, output, language_id),
        "hard wrapping": form.wrap_kept(source, output, language_id),
        "structure": form.structure_kept(source, output, language_id),
        "line ends": form.line_ends_kept(source, output) is not False and form.no_new_line_ends(source, output),
        "paragraphs": form.paragraphs_kept(source, output),
        "length ratio": len(output.strip()) / max(1, len(source.strip())),
    })
    got, wanted = form.kept(record["keep"], output)
    if wanted:
        result["protected text kept"] = got / wanted
        if got < wanted:
            result["lost but warned"] = "protectedTextLost" in warnings
    if record["variant"] != "proofread":
        result["unchanged"] = words.unchanged(source, output)
    add_words(result, record)
    return result


def add_words(result, record):
    keep = form.protected(record["keep"])
    found = words.invented(record["source"], record["output"], record["language"], keep)
    if found is not None and found[1]:
        result["invented words"] = len(found[0]) / found[1]
    kept = words.share_kept(record["source"], record["output"], record["language"], keep)
    if record["feature"] == "rephrase" and kept is not None:
        result["source words kept"] = kept


SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)[.!?…]+[\"”’')\]]*(?=\s|$)")


def count_sentences(text):
    parts = [part for part in SENTENCE_END.split(text.strip()) if re.search(r"\w", part)]
    return len(parts)


def count_bullets(text):
    """None when a line is no bullet."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return len(lines) if all(re.match(r"[-*•] \S", line) for line in lines) else None


def summary(record):
    output = record["output"]
    result = shared(record)
    if record["variant"] == "sentences":
        exact = count_sentences(output) == record["count"] and "\n" not in output.strip()
    elif record["variant"] == "bullets":
        exact = count_bullets(output) == record["count"]
    else:
        exact = len(output.strip().splitlines()) == 1 and not output.strip().endswith(".")
    result["exact count"] = exact
    result["reduction"] = 1 - len(output.strip()) / max(1, len(record["source"].strip()))
    add_words(result, record)
    return result


def structured(record):
    if record["feature"] == "generate":
        return {"valid": is_valid(record["value"], record["schema"])}
    value, kind, count = record["value"], record["variant"], record["count"]
    result = {"valid": has_shape(value, kind)}
    lists = [value.get(key) for key in ("concepts", "tags") if isinstance(value, dict) and key in KINDS[kind]]
    if lists and isinstance(lists[0], list):
        entries = [" ".join(words.words(str(entry))) for entry in lists[0]]
        result["exact count"] = len(entries) == count
        result["distinct"] = len(set(entries)) == len(entries)
    texts = strings(value)
    result["loop"] = any(words.circles(text) for text in texts)
    result["empty"] = not texts or any(not text.strip() for text in texts)
    return result


def strings(value):
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in strings(part)]


def has_shape(value, kind):
    """Exactly the keys of the kind, lists of strings and strings."""
    if not isinstance(value, dict) or set(value) != set(KINDS[kind]):
        return False
    return all(
        isinstance(part, list) and all(isinstance(entry, str) for entry in part) if key in LISTS
        else isinstance(part, str) for key, part in value.items())


def is_valid(value, schema):
    """The few keywords that the evaluation's own schemas use."""
    if "enum" in schema:
        return value in schema["enum"]
    if schema["type"] == "object":
        return (isinstance(value, dict) and set(value) == set(schema["required"])
                and all(is_valid(value[key], part) for key, part in schema["properties"].items()))
    if schema["type"] == "array":
        return (isinstance(value, list) and schema["minItems"] <= len(value) <= schema["maxItems"]
                and all(is_valid(entry, schema["items"]) for entry in value))
    if schema["type"] == "integer":
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole and schema["minimum"] <= value <= schema["maximum"]
    return isinstance(value, str) and len(value) <= schema["maxLength"]
