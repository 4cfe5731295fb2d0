"""Tests of the measures: for each a table of outputs that it must pass and of outputs that it must catch. A measure
that cannot fail says nothing, so a table without both kinds is itself a failure."""
from wire import Reply

from . import form, measure, plan, report, runner, words
from .plan import SCHEMAS

PROSE = "the train is late again, sorry"
LIST = "- one thing is slow\n- the other is broken\n"
ORDERED = "1. open it\n2. close it\n"
TABLE = "| a | b |\n| --- | --- |\n| one | two |\n"
CRLF = "* one\r\n* two\r\n"
FENCED = "Do this:\n\n```sh\nmake\n```\n\nand wait.\n"
COMMENT = "    // first line of the words\n    // second line of it\n"
BLOCK = "  /**\n   * Does a thing.\n   */\n"

# name: (function of (source, output, *more), [(source, output, *more, expected)])
TABLES = {
    "no preamble": (form.no_preamble, [
        (PROSE, "The train is late again, I am sorry.", True),
        (PROSE, "Sure! The train is late again.", False),
        (PROSE, "Certainly, here you go:\nThe train is late.", False),
        (PROSE, "Here is the rewritten text: The train is late.", False),
        (PROSE, "Here's a more formal version:\n\nThe train is late.", False),
        (PROSE, "**Formal:** The train is late.", False),
        (PROSE, "Rewritten text: The train is late.", False),
        (PROSE, "Formal tone: The train is late.", False),
        (PROSE, "Friendly version:\nThe train is late.", False),
        (PROSE, "I have rewritten the text: The train is late.", False),
        (PROSE, "The train is late.\n\nLet me know if you need anything else!", False),
        (PROSE, "The train is late.\n\nNote: I kept the meaning.", False),
        (PROSE, "Sure, the train is late.", False), (PROSE, "Great! Here you go: late.", False),
        (PROSE, "The new version of the text is:\n\nlate", False),
        ("Great job team, really", "Great job, team, that was well done!", True),
        ("Sure, here is the plan: we wait.", "Sure, here is our plan: we wait.", True),
        ("it is a surety we need", "A surety is needed.", True),
        ("Shorter days come", "Shorter days are coming soon: be ready.", True),
        ("here we go again", "Here we are once more, all of us.", True)]),
    "no enclosing quotes": (form.no_quotes, [
        (PROSE, "The train is late.", True), (PROSE, '"The train is late."', False), (PROSE, "“The train.”", False),
        (PROSE, "«Le train»\n", False), ('"late again"', '"late once more"', True),
        (PROSE, 'She said "no" and "yes"', True), (PROSE, "`The train`", False)]),
    "fences": (form.fences_kept, [
        (PROSE, "The train.", True), (PROSE, "```\nThe train.\n```", False), (FENCED, FENCED, True),
        (FENCED, "Do this:\nmake\n", False), (PROSE, "~~~text\nThe train.\n~~~", False)]),
    "edges": (form.edges_kept, [
        ("  a b\n", "  c d\n", True), ("  a b\n", "c d\n", False), ("  a b\n", "  c d", False), ("a", "a\n", False),
        ("\ta\r\n", "\tb\r\n", True), ("\ta\r\n", "\tb\n", False)]),
    "line prefixes": (form.prefixes_kept, [
        (PROSE, "The train.", "plaintext", None),
        (COMMENT, "    // all on one line\n", "swift", True), (COMMENT, COMMENT, "c", True),
        (COMMENT, "    // first\n    second\n", "swift", False), (COMMENT, "first and second\n", "swift", False),
        (COMMENT, "// first\n// second\n", "swift", False), (COMMENT, "    // // first\n", "swift", False),
        ("// // a\n// b\n", "// // c\n", "c", True),
        ("> a b\n> c\n", "> d e f\n", "plaintext", True), ("> a b\n> c\n", "d e f\n", "plaintext", False),
        ("> > a\n> > b\n", "> a b\n", "markdown", False), ("> > a\n> > b\n", "> > a b\n", "markdown", True),
        ("# a b\n# c\n", "# d\n", "python", True), ("# a b\n# c\n", "d\n", "python", False),
        ("-- a\n-- b\n", "-- c\nd\n", "sql", False), (BLOCK, "  /**\n   * Makes it.\n   */\n", "c", True),
        (BLOCK, "  /**\n  Makes it.\n   */\n", "c", False), (BLOCK, "  Makes it.\n", "c", False),
        ("<!-- a -->\n", "<!-- b -->\n", "html", True), ("<!-- a -->\n", "b\n", "html", False)]),
    "hard wrapping": (form.wrap_kept, [
        (PROSE, "a long line " * 20, "plaintext", None),
        (COMMENT, COMMENT, "swift", True), (COMMENT, "    // " + "word " * 20, "swift", False),
        ("one two three\nfour\n", "five six\nseven\n", "plaintext", True),
        ("one two three\nfour\n", "five six seven eight\n", "plaintext", False)]),
    "structure": (form.structure_kept, [
        (PROSE, "- a list", "plaintext", None), (COMMENT, "x", "swift", None),
        (LIST, "- a\n- b\n", "markdown", True), (LIST, "- a\n", "markdown", False), (LIST, "a\nb\n", "markdown", False),
        (LIST, "* a\n* b\n", "markdown", False), (LIST, "- a\n- b\n- c\n", "markdown", False),
        (ORDERED, "1. a\n2. b\n", "markdown", True), (ORDERED, "1. a\n1. b\n", "markdown", False),
        ("- a\n  - b\n", "- a\n- b\n", "markdown", False), ("- [ ] a\n", "- [x] a\n", "markdown", False),
        (TABLE, "| c | d |\n| --- | --- |\n| 1 | 2 |\n", "markdown", True),
        (TABLE, "| c | d |\n| 1 | 2 |\n", "markdown", False),
        (TABLE, "| c |\n| --- | --- |\n| 1 | 2 |\n", "markdown", False),
        ("## A\n\nb c\n", "## D\n\ne\nf\n", "markdown", True), ("## A\n\nb\n", "A\n\nb\n", "markdown", False),
        (FENCED, "Run:\n\n```sh\nmake\n```\n\nThen wait.\n", "markdown", True),
        (FENCED, "Run:\n\n```sh\nmake all\n```\n\nThen wait.\n", "markdown", False),
        ("\\begin{itemize}\n  \\item a\n\\end{itemize}\n", "\\begin{itemize}\n  \\item b\n\\end{itemize}\n", "latex",
            True),
        ("\\begin{itemize}\n  \\item a\n\\end{itemize}\n", "\\item b\n", "latex", False)]),
    "line ends": (form.line_ends_kept, [
        (LIST, LIST, None), (CRLF, "* a\r\n* b\r\n", True), (CRLF, "* a\n* b\n", False), (CRLF, "* a\r\n* b\n", False),
        (CRLF, "* a\r\n", False), (CRLF, "* a * b", False)]),
    "no new line ends": (form.no_new_line_ends, [(LIST, LIST, True), (LIST, CRLF, False), (CRLF, CRLF, True)]),
    "paragraphs": (form.paragraphs_kept, [
        (PROSE, "a\n\nb", None), ("a\n\nb", "c\n\nd", True), ("a\n\nb", "c d", False), ("a\r\n\r\nb", "c\n\nd", True)]),
    "no refusal": (form.no_refusal, [
        (PROSE, "The train is late.", True), (PROSE, "I'm sorry, but I can't help with that.", False),
        (PROSE, "I cannot assist with this request.", False), (PROSE, "As an AI, I have no train.", False),
        (PROSE, "I am sorry that the train is late.", True), ("I can't help it", "I can't help it.", True)]),
    "no template marks": (form.no_template, [
        (PROSE, "<think>the train</think> late", False), (PROSE, "late<|im_end|>", False), (PROSE, "late", True),
        ("ends with <|im_end|>", "It ends with <|im_end|>", True)]),
    "hidden characters told": (form.hidden_told, [
        (PROSE, "late", [], None), (PROSE, "la\u200bte", [], False),
        (PROSE, "la\u202ete", ["suspiciousCharacters"], True),
        ("a\u200bb", "c\u200bd", [], None)]),
    "protected": (lambda keep, output: form.kept(keep, output), [
        (["41 ms", "- "], "It takes 41 ms.", (1, 1)), (["41 ms", "`x`"], "It takes 41ms and `x`", (1, 2)),
        (["🎉"], "great", (0, 1)), (["> ", "1. ", "*/"], "nothing", (0, 0)), (["[a](b)"], "[a](c)", (0, 1))]),
    "language": (words.language_kept, [
        ("en", "The train is late and I am sorry.", True), ("de", "The train is late and I am sorry.", False),
        ("de", "Der Zug ist leider schon wieder nicht da.", True),
        ("fr", "Le train est en retard et je suis là.", True),
        ("fr", "El tren no está y la gente espera.", False), ("es", "El tren no está y la gente espera.", True),
        ("it", "Il treno non è arrivato e siamo qui.", True),
        ("pt", "O trem não chegou e nós ainda estamos aqui.", True),
        ("es", "O trem não chegou e nós ainda estamos aqui.", False), ("ru", "Поезд опять опоздал.", True),
        ("ru", "The train was late once more.", False), ("ar", "القطار متأخر مرة أخرى", True),
        ("ar", "The train was late once more.", False), ("he", "הרכבת מאחרת שוב", True), ("he", "القطار متأخر", False),
        ("zh", "火车又晚点了。", True), ("zh", "電車がまた遅れています。", False), ("ja", "電車がまた遅れています。", True),
        ("ja", "火车又晚点了。", False), ("ko", "기차가 또 늦었습니다.", True), ("ko", "The train was late.", False),
        ("en", "ok thx", None), ("en", "42", None)]),
    "loop": (words.loops, [
        (PROSE, "The train is late, and I am sorry for it.", False), (PROSE, "very very very very late", True),
        (PROSE, "the train is the train is the train is late", True),
        (PROSE, "I am sorry that it is late. Wait. I am sorry that it is late.", True),
        (PROSE, "I wait here for the train to come. You are there.", False),
        ("no no no no", "no no no no", False), ("会议", "会议很长会议很长会议很长会议很长", True), (PROSE, "!" * 30, True),
        (LIST, "- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n", False), (TABLE, "| --- | --- | --- | --- |", False)]),
    "stock phrases": (lambda *outputs: words.stock_phrases([(str(i), PROSE, o) for i, o in enumerate(outputs)]), [
        ("The shop is closed today.", "Late. The shop is closed.", "So the shop is closed.", [True, True, True]),
        ("The shop is closed today.", "Late. The shop is closed.", "The train is late again.", [False, False, False]),
        ("the train is late again", "the train is late now", "the train is late", [False, False, False])]),
    "unchanged": (words.unchanged, [(PROSE, PROSE + "\n", True), (PROSE, "The train.", False)]),
    "invented": (lambda source, output: words.invented(source, output, "en"), [
        ("the committee decided to wait", "The committee's decision was waiting.", (["decision"], 3)),
        ("we walked home", "We are walking home.", ([], 2)),
        ("the train is late", "The dragon eats a sandwich late.", (["dragon", "eats", "sandwich"], 4)),
        ("studies were carried out", "The study carries on.", ([], 2))]),
    "kept words": (lambda source, output: words.share_kept(source, output, "en"), [
        ("the train arrives late", "Late trains arrived.", 1.0), ("the train arrives late", "Hello there.", 0.0),
        ("of the", "of", None)]),
    "sentences": (lambda text: measure.count_sentences(text), [
        ("One. Two.", 2), ("One, two", 1), ("Mr. Fox ran. It rained!", 2), ("It is 2.5 m long.", 1), ("", 0)]),
    "bullets": (lambda text: measure.count_bullets(text), [("- a\n- b", 2), ("- a\nb", None), ("* a", 1),
    ("1. a", None)]),
    "valid": (measure.is_valid, [
        ({"name": "A", "age": 3, "colour": "red"}, SCHEMAS[0][1], True),
        ({"name": "A", "age": 0, "colour": "red"}, SCHEMAS[0][1], False),
        ({"name": "A", "age": True, "colour": "red"}, SCHEMAS[0][1], False),
        ({"name": "A", "age": 3, "colour": "grey"}, SCHEMAS[0][1], False),
        ({"name": "A", "age": 3}, SCHEMAS[0][1], False),
        ({"name": "A" * 41, "age": 3, "colour": "red"}, SCHEMAS[0][1], False),
        (["a", "b", "c"], SCHEMAS[1][1], True), (["a", "b"], SCHEMAS[1][1], False),
        (["a", "b", 3], SCHEMAS[1][1], False),
        (None, SCHEMAS[1][1], False)]),
    "shape": (measure.has_shape, [
        ({"tags": ["a"]}, "tags", True), ({"tags": "a"}, "tags", False), ({"tags": [1]}, "tags", False),
        ({"tags": [], "more": 1}, "tags", False), ([], "tags", False)]),
    "context": (lambda feature: context_of(feature), [
        ("rephrase", {"languageId": "org"}), ("summarize", {"languageId": "org"}), ("brainstorm", None)]),
    "first JSON": (lambda text: runner.first_json(text), [
        ('Sure: {"a": [1]} ok', {"a": [1]}), ("{no} [2]", [2]), ("none", None)]),
    "shown": (report.shown, [
        ("loop", {"value": 0.0004, "of": 9}, "0.040 % of 9"), ("edges", {"value": 0.9999, "of": 9}, "99.990 % of 9"),
        ("edges", {"value": 1.0, "of": 9}, "100.0 % of 9"), ("edges", {"value": None, "of": 0}, "–")]),
}


def context_of(feature):
    """What the request of our arm says of a text of Org's."""
    text = {"id": "a", "language": "en", "languageId": "org", "text": "* a", "keep": []}
    return plan.daemon_request(plan.Item(feature, "formal", text, 2), 1)[1].get("context")


def record(**fields):
    base = {
        "arm": "inkling", "feature": "rephrase", "variant": "formal", "count": None, "id": "a", "language": "en",
        "languageId": "plaintext", "source": PROSE, "keep": [], "schema": None, "timed": False, "output": None,
        "value": None, "warnings": [], "usage": None, "error": None, "finishReason": "stop", "deltas": True,
        "firstMs": 1.0, "totalMs": 2.0}
    base.update(fields)
    return base


def figures(records):
    return report.figures(records, report.measured(records))


ERROR = dict(error={"code": 1008, "kind": "refusal", "message": ""})
GOOD = record(output="The train is late once more; apologies.")
# (fields of a record that differ from a good one, the target that must fail by it)
SPOILED = [
    (dict(output='"The train is late once more."'), "rephrase: no enclosing quotes"),
    (dict(output="Here is the text: late."), "rephrase: no preamble"),
    (dict(output="late late late late"), "rephrase: loop"),
    (dict(output="Der Zug ist nicht da und wir sind hier."), "rephrase: language kept or warned"),
    (dict(output="late", deltas=False), "rephrase: deltas equal the text"),
    (dict(output="late", keep=["41 ms"]), "rephrase: lost but warned"),
    (dict(output="late", keep=["41 ms"], warnings=["protectedTextLost"]), "rephrase: protected text kept"),
    (dict(output="dragons eating sandwiches"), "rephrase: invented words"),
    (dict(source=LIST, languageId="markdown", output="nothing\n"), "rephrase: structure"),
    (dict(feature="summarize", variant="sentences", count=2, output="One."), "summarize: exact count"),
    (dict(feature="summarize", variant="bullets", count=2, output="- One.\n- Two.\n- Three."),
    "summarize: exact count"),
    (dict(feature="summarize", variant="headline", count=1, output="A train\nis late"), "summarize: exact count"),
    (dict(feature="brainstorm", variant="tags", count=3, value={"tags": ["a", "a"]}), "brainstorm: distinct"),
    (dict(feature="brainstorm", variant="ideas", count=3, value={
        "concepts": ["a", "b"], "themes": [], "suggestedTitle": "c"}), "brainstorm: exact count"),
    (dict(feature="brainstorm", variant="tags", count=3, value=None, output="x"), "brainstorm: valid"),
    (dict(feature="brainstorm", variant="tags", count=3, value={"tags": ["a", "b"]}), "brainstorm: exact count"),
    (dict(feature="brainstorm", variant="tags", count=2, value={"tags": ["a", " "]}), "brainstorm: empty"),
    (dict(output=" \n"), "rephrase: empty"),
    (dict(feature="summarize", variant="sentences", count=1, output=""), "summarize: empty"),
    (dict(output="The train is", finishReason="length"), "rephrase: cut short"),
    (dict(feature="summarize", variant="sentences", count=1, output="The train is", finishReason="length"),
    "summarize: cut short"),
] + [(dict(ERROR, feature=feature), feature + ": answered") for feature in report.ROWS]


def check_tables():
    failures, count = [], 0
    for name, (function, rows) in TABLES.items():
        results = set()
        for row in rows:
            got = function(*row[:-1])
            results.add(repr(got))
            count += 1
            if got != row[-1] or type(got) is not type(row[-1]):
                failures.append("%s: %r gives %r" % (name, row, got))
        if len(results) < 2:
            failures.append("%s: its table has one kind of answer only" % name)
    return failures, count


def check_targets():
    plain = figures([record(output="dragons eating sandwiches")])
    failures, count = [], 1
    for what, _, got, passed in report.targets(figures([GOOD]), plain):
        if not passed:
            failures.append("a good record fails %s: %s" % (what, got))
    for fields, target in SPOILED:
        count += 1
        reached = {entry[0]: entry[3] for entry in report.targets(figures([record(**fields)]), plain)}
        if reached.get(target) is not False:
            failures.append("%r does not fail %s" % (fields, target))
    lost = figures([record(**ERROR)] * 9 + [GOOD])["rephrase"]
    if lost["answered"]["value"] != 0.1 or lost["errors"]["value"] != {"refusal": 9}:
        failures.append("errors are not counted")
    return failures, count + 1


def check_partials():
    reply = Reply("assistant/rephrase")
    for value in ({"kind": "text", "offset": 0, "delta": "a😀b"}, {"kind": "text", "offset": 3, "delta": "c"}):
        reply.take_progress(value)
    again = Reply("assistant/rephrase")
    for value in ({"kind": "text", "text": "first"}, {"kind": "text", "offset": 0, "delta": "new"}):
        again.take_progress(value)
    got = (reply.shown, again.shown)
    failures = [] if got == ("a😀c", "new") else ["partial results are put together wrongly: %r" % (got,)]
    seen = []
    watched = Reply("assistant/summarize", seen.append)
    watched.take_progress({"kind": "report", "message": "Reading"})
    if [value["message"] for value in seen] != ["Reading"] or watched.shown or watched.first is not None:
        failures.append("progress is not handed on, or taken for text")
    return failures, 2


def main():
    failures, count = [], 0
    for check in (check_tables, check_targets, check_partials):
        found, number = check()
        failures += found
        count += number
    for failure in failures:
        print("FAIL " + failure)
    print("%d passed, %d failed" % (count - len(failures), len(failures)))
    return 1 if failures else 0
