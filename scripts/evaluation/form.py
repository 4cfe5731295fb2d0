"""The form of a text: what a person would have to repair after pasting it. Each check gives True (in order), False,
or None where the source has nothing of the kind."""
import re

LEAD_INS = re.compile(
    r"^\W{0,4}(?:(?:sure|certainly|of course|absolutely|okay|ok|no problem|alright)\b(?: thing)?[:!.,]"
    r"|(?:sure|certainly|of course|okay|great)\b[^\n]{0,30}\bhere(?:'s|’s| is| are| you)\b"
    r"|(?:here|below|this|the following|what follows)(?:'s|’s| is| are)\b[^\n]{0,80}:"
    r"|(?:i(?:'ve|’ve| have|'ll| will)? )(?:rewr\w+|rephras\w+|correct\w*|summari\w+|shorten\w*|made)\b[^\n]{0,80}[:.]"
    r"|(?:the |a |my )?(?:new version|re-?written|rewrite|rephrased"
    r"|revised|corrected|edited|formal|exciting|simpler|"
    r"simplified|shorter|shortened|longer|expanded|friendly|friendlier|proofread|improved|summary|summarized|headline|"
    r"title|output|input|answer|result|response|sentences?|bullets?|bullet points)"
    r"(?: (?:text|version|tone|sentence|message|summary|input|output|paragraph|email|of the text|is|reads))*\W{0,3}:)",
    re.IGNORECASE)
POSTSCRIPTS = re.compile(
    r"(?:^|\n)\W{0,4}(?:let me know if|i hope (?:this|that) helps|feel free to (?:ask|adjust|modify)"
    r"|please let me know if|note: (?:i|this|the (?:text|rewrit|revis|tone))|in this (?:version|revision|rewrite)"
    r"|the (?:re-?written|revised) (?:text|version) (?:is|has|uses|keeps))[^\n]*\s*$", re.IGNORECASE)
REFUSALS = re.compile(
    r"^\W{0,4}(?:i(?:'m| am|’m) (?:sorry|unable|not able)\b[^\n]{0,30}\b(?:can't|cannot|can’t|unable|not able|as an ai)"
    r"|i (?:can't|cannot|can’t|won't) (?:help|assist|do|provide|rewrite|fulfill|comply|answer)|as an ai\b"
    r"|sorry,? (?:but )?i (?:can't|cannot|can’t))", re.IGNORECASE)
QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "`": "`"}
# Marks at the start of a line that belong to the file, not to the text.
MARK = re.compile(
    r"^(?P<lead>[ \t]*)(?P<mark>(?:///?!?|//!?|#{1,6}(?= )|--|;+|%+|>(?: ?>)*|[-*+] \[[ xX]\]|\*{1,6}(?= )|[-+](?= )"
    r"|\\(?:item\b|(?:begin|end)\{\w+\})|\d{1,3}[.)](?= )|<!--|/\*\*?|\*/|\|)?)")
FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)")
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0001]")
TEMPLATE = re.compile(
    r"<\|?/?(?:think|im_start|im_end|endoftext|eot_id|start_of_turn|end_of_turn|assistant|system|user)\|?>")


def no_preamble(source, output):
    """No words about the text before or after it, and no name of the tone."""
    text = output.strip()
    lead_in = LEAD_INS.match(text) and opening(text) != opening(source)
    return not (lead_in
                or POSTSCRIPTS.search(text) and not POSTSCRIPTS.search(source.strip()))


def opening(text):
    """The first word, or the first two when the first says little: a source may well begin with “Okay”."""
    found = ["ok" if word == "okay" else word for word in re.findall(r"\w+", text.lower())[:2]]
    return found if found[:1] in (["the"], ["a"], ["here"], ["this"], ["i"]) else found[:1]


def no_quotes(source, output):
    """Not put in quotation marks that the source does not have."""
    return enclosing(output.strip()) in (None, enclosing(source.strip()))


def enclosing(text):
    return text[0] if len(text) > 1 and QUOTES.get(text[0]) == text[-1] else None


def fences_kept(source, output):
    """As many lines of fences as the source has."""
    return count_fences(output) == count_fences(source)


def count_fences(text):
    return sum(1 for line in text.splitlines() if FENCE.match(line))


def no_refusal(source, output):
    return not REFUSALS.match(output.strip()) or bool(REFUSALS.match(source.strip()))


def no_template(source, output):
    """No mark of the chat template and no thought that the source does not have."""
    return set(TEMPLATE.findall(output)) <= set(TEMPLATE.findall(source))


def hidden_told(source, output, warnings):
    """Invisible characters that the source does not have come with a warning; None when there are none."""
    new = set(HIDDEN.findall(output)) - set(HIDDEN.findall(source))
    return "suspiciousCharacters" in warnings if new else None


def edges_kept(source, output):
    """White space at both ends is the source's."""
    return edges(source) == edges(output)


def edges(text):
    body = text.strip()
    return (text, "") if not body else (text[:text.index(body)], text[text.rindex(body) + len(body):])


def marks(text):
    """For each line that is not blank its white space and mark; fenced blocks are one entry with their content."""
    result = []
    fence = None
    for line in text.splitlines():
        if fence is not None:
            fence.append(line)
            if FENCE.match(line):
                result.append(("fence", "\n".join(fence)))
                fence = None
        elif FENCE.match(line):
            fence = [line]
        elif line.strip():
            found = MARK.match(line)
            mark = found.group("mark")
            if not mark and re.match(r"[ \t]+\*( |$)", line):
                mark = "*"
            result.append((found.group("lead"), mark))
    if fence is not None:
        result.append(("fence", "\n".join(fence)))
    return result


def is_item(mark):
    return bool(re.match(r"^(?:[-+]|\*+|\d+[.)]|#{1,6}|\||[-*+] \[[ xX]\]|\\.+)$", mark))


def prefixes_kept(source, output, language_id):
    """Comment and quotation marks with their white space stand before every line; for block comments the opening
    and closing marks stay, and the stars between."""
    lines = [line for line in source.splitlines() if line.strip()]
    first = MARK.match(lines[0]).group("mark") if lines else ""
    if first in ("/*", "/**", "<!--"):
        closing = "-->" if first == "<!--" else "*/"
        body = [line for line in output.splitlines() if line.strip()]
        if not body or not (body[0].startswith(lines[0][:lines[0].index(first) + len(first)])
                            and body[-1].rstrip().endswith(closing)):
            return False
        if output.count(first) != 1 or output.count(closing) != 1:
            return False
        star = re.match(r"[ \t]*\*", lines[1]) if len(lines) > 1 else None
        return star is None or all(line.startswith(star.group(0)) for line in body[1:])
    prefix = common_prefix(lines, language_id)
    if prefix is None:
        return None
    mark = MARK.match(prefix).group("mark")

    def doubled(line):
        return MARK.match(line[len(prefix):]).group("mark") == mark

    body = [line for line in output.splitlines() if line.strip()]
    if any(doubled(line) for line in body) and not any(doubled(line) for line in lines):
        return False
    return bool(body) and all(
        line.startswith(prefix.rstrip()) and MARK.match(line).group("mark") == mark
        and (line.startswith(prefix) or line == prefix.rstrip()) for line in body)


def common_prefix(lines, language_id):
    """The one comment or quotation mark of all lines with the white space around it, or None."""
    if not lines or language_id == "markdown" and not lines[0].startswith(">"):
        return None
    found = {re.match(r"[ \t]*(?:///|//|#|--|;+|%+|>(?: ?>)*)[ \t]+", line) for line in lines}
    if None in found:
        return None
    texts = {match.group(0) for match in found}
    return texts.pop() if len(texts) == 1 else None


TEXT_FORMATS = ("plaintext", "markdown", "latex", "org", "git-commit")


def is_structured(text, language_id):
    """Whether it has lists, tables, headings or fences; in code the same marks are comments."""
    return language_id in TEXT_FORMATS and any(is_item(mark) or lead == "fence" for lead, mark in marks(text))


def wrap_kept(source, output, language_id):
    """Prose that is broken into lines stays within the width of the source's widest line."""
    lines = [line for line in source.splitlines() if line.strip()]
    if len(lines) < 2 or is_structured(source, language_id) or language_id == "latex":
        return None
    if "\n\n" in source.replace("\r\n", "\n"):
        return None
    width = max(len(line) for line in lines)
    body = output.splitlines()
    return all(len(line) <= width or len(line.split()) <= 2 for line in body)


def structure_kept(source, output, language_id):
    """Lists, tables and headings line by line, with their numbers and cells; blocks of code stay where they are."""
    if not is_structured(source, language_id):
        return None
    return merged(marks(source)) == merged(marks(output)) and cells(source) == cells(output)


def merged(entries):
    """Neighbouring lines of prose are one paragraph, however they are broken."""
    result = []
    for lead, mark in entries:
        entry = (lead, mark) if is_item(mark) or lead == "fence" else ("", "")
        if entry != ("", "") or not result or result[-1] != entry:
            result.append(entry)
    return result


def cells(text):
    """How many bars each row of a table has, and the rows of dashes themselves."""
    rows = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    return [row if re.match(r"^[|\s:-]+$", row) else row.count("|") for row in rows]


def line_ends_kept(source, output):
    """CR LF everywhere, and as many lines of a list; None when the source has none."""
    if "\r\n" not in source:
        return None
    bare = re.findall(r"(?<!\r)\n|\r(?!\n)", output)
    lists = any(is_item(mark) for _, mark in marks(source))
    return not bare and "\r\n" in output and (not lists or output.count("\r\n") == source.count("\r\n"))


def no_new_line_ends(source, output):
    """No carriage returns that the source does not have."""
    return "\r" in source or "\r" not in output


def paragraphs_kept(source, output):
    """As many blocks between blank lines; None when the source is one block."""
    count = len([block for block in re.split(r"\n\s*\n", source.replace("\r\n", "\n")) if block.strip()])
    got = len([block for block in re.split(r"\n\s*\n", output.replace("\r\n", "\n")) if block.strip()])
    return None if count < 2 else count == got


MARKS_ONLY = re.compile(r"^\s*(?:[-*+>#/|%;!<\s]+|\d+[.)]|[-*+] \[[ xX]\]|\*/|-->)\s*$")


def protected(keep):
    """The strings that are content; marks of lines are the business of the other checks."""
    return [text for text in keep if not MARKS_ONLY.match(text)]


def kept(keep, output):
    """How many of the protected strings stand in the output, and how many there are."""
    wanted = protected(keep)
    return sum(1 for text in wanted if text in output), len(wanted)
