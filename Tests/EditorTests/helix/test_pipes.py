"""Each pipe as Helix plays it. The exact bytes go in; nothing but the answer, or an error, comes out."""
import os
import shutil
import time

from replay import Editor, Refused, Runtime, same
from test_configuration import bindings

LETTER = "Dear Ms Ito,\n\ngonna be late tmrw, train is broken again\n\nYours é🎉\n"


def refused(editor, binding, *status):
    before = editor.text
    try:
        editor.pipe(binding)
    except Refused as reason:
        same(editor.text, before, "a failed pipe leaves the text")
        assert not status or str(reason) in [f"Shell command failed: status {code}" for code in status], reason
        return
    raise AssertionError(f"Helix would have put in: {editor.text!r}")


def test_what_goes_in_and_comes_out():
    """The program is a script: selections come in byte for byte, and Helix's rule for the last newline holds."""
    programs = {"inkling": "cat\n"}
    for text in ("one two\n", "é🎉 \\n \t'\"`$HOME %{x}\n", "a\r\nb\r\n"):
        for start, end in ((0, len(text)), (0, len(text) - 1), (1, 3)):
            for shell in (("sh", "-c"), ("bash", "-c")):
                same(Editor(text, (start, end), programs=programs, shell=shell).pipe(bindings()[0]), text)
    same(Editor("one two", (0, 3), programs={"inkling": "echo 1\n"}).pipe(bindings()[0]), "1 two")
    same(Editor("one\ntwo", (0, 4), programs={"inkling": "echo 1\n"}).pipe(bindings()[0]), "1\ntwo")


def test_warnings_do_not_get_into_the_text():
    for binding in bindings():
        programs = {"inkling": "echo 'warning: lost' >&2; printf 1\n"}
        same(Editor("one two", (0, 3), programs=programs).pipe(binding), "1 two")
    # What Helix does without it, and why it is there.
    same(Editor("one two", (0, 3), programs=programs).pipe(bindings()[0].replace(" 2>/dev/null", "")),
         "warning: lost two")


def test_a_failure_leaves_all_selections():
    programs = {"inkling": "echo reason >&2; read -r line; [ \"$line\" != two ] || exit 3; printf X\n"}
    for binding in bindings():
        refused(Editor("one two six", (0, 3), (4, 7), (8, 11), programs=programs), binding, 3)


def test_no_program_leaves_the_text():
    for shell in ("sh", "bash"):
        editor = Editor("one two", (0, 3), shell=(shutil.which(shell), "-c"))
        editor.environment["PATH"] = editor.folder.name
        refused(editor, bindings()[0], 127)


def test_selections_come_one_after_another():
    programs = {"inkling": 'mkdir "$LOCK" || exit 9; cat; rmdir "$LOCK"\n'}
    editor = Editor("one two six", (0, 3), (4, 7), (8, 11), programs=programs)
    editor.environment["LOCK"] = os.path.join(editor.folder.name, "lock")
    same(editor.pipe(bindings()[0]), "one two six")


def test_real_program_writes_nothing_but_the_answer():
    """What it writes depends on the machine, so only what is around it is known: nothing of it has changed, and the
    answer has neither the edges nor the lines that a program's own words would bring."""
    start, end = LETTER.index("gonna"), LETTER.index("\n\nYours")
    with Runtime() as runtime:
        found = runtime.editor(LETTER, (start, end), INKLING_PRIVATE="1").pipe(bindings()[0])
        answer = found[start:len(found) - len(LETTER[end:])]
        same(found, LETTER[:start] + answer + LETTER[end:])
        assert answer and answer == answer.strip() and "\n" not in answer and "inkling" not in answer.lower(), answer


def test_real_program_keeps_white_space_of_several_selections():
    text = "  gonna be late\n\tsee u at the station tmrw  \n"
    with Runtime() as runtime:
        found = runtime.editor(text, (0, 16), (16, len(text))).pipe(bindings()[0])
        first, second, rest = found.split("\n")
        same([first[:2], second[:1], second[-2:], rest], ["  ", "\t", "  ", ""])
        assert first.strip() and second.strip() and found != text, found


def test_real_program_with_a_large_selection():
    """Code stays as it is, so the answer is known: a mebibyte in, and the same out."""
    text = "```\n" + "let x = 1; // é🎉\n" * 45000 + "```\n"
    with Runtime() as runtime:
        same(runtime.editor(text, (0, len(text))).pipe(bindings()[0]) == text, True, "the same text")
        too_large = "word " * 900000
        refused(runtime.editor(too_large, (0, len(too_large))), bindings()[0], 4)


def test_real_program_fails_without_a_word_in_the_text():
    with Runtime() as runtime:
        refused(runtime.editor("   \n", (0, 3)), bindings()[0], 4)
        began = time.monotonic()
        refused(runtime.editor("one two\n", (0, 7), INKLING_MODEL="/nowhere/model.gguf", INKLING_PRIVATE="1"),
                bindings()[0], 3)
        assert time.monotonic() - began < 30, "no model is said at once"
