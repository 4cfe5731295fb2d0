"""What is asked is exactly what is selected, and nothing else changes."""
from driver import Kak, result, same, wait

REPHRASE = "assistant/rephrase"


def replaced(content, selections, answer, wanted, asked=None, name="text.md"):
    with Kak(content, {REPHRASE: [result(answer)]}, name=name) as kak:
        before = kak.bytes()
        kak.select(*selections).command("inkling-rephrase")
        kak.wait_ready(len(selections))
        if asked is not None:
            same(kak.sent(REPHRASE)[0]["text"], asked, "what was asked")
        same(kak.bytes(), before, "untouched until it is accepted")
        kak.accept()
        kak.wait_clean()
        same(kak.bytes(), wanted if isinstance(wanted, bytes) else wanted.encode(), "after it was accepted")
        kak.keys("u")
        same(kak.bytes(), before, "after one undo")


def test_part_of_a_line():
    replaced("one two three\n", ["1.5,1.7"], "2", "one 2 three\n", "two")


def test_backward_selection():
    replaced("one two three\n", ["1.7,1.5"], "2", "one 2 three\n", "two")


def test_whole_lines_with_their_newline():
    replaced("one\ntwo\nthree\n", ["2.1,2.4"], "2\n", "one\n2\nthree\n", "two\n")


def test_beginning_of_buffer():
    replaced("one two\n", ["1.1,1.3"], "1", "1 two\n", "one")


def test_end_of_buffer():
    replaced("one\ntwo\n", ["2.1,2.4"], "2\n", "one\n2\n", "two\n")


def test_end_of_buffer_without_its_newline():
    replaced("one\ntwo\n", ["2.1,2.3"], "2", "one\n2\n", "two")


def test_whole_buffer():
    replaced("one\n\n\ttwo  \n", ["1.1,3.7"], "1\n\n\t2  \n", "1\n\n\t2  \n", "one\n\n\ttwo  \n")


def test_emoji_and_combining_marks():
    replaced("a 🎉 b e\u0301 c 👩\u200d👩\u200d👧 d\n", ["1.3,1.23"], "👍🏽 x\u0301",
             "a 👍🏽 x\u0301\u200d👧 d\n", "🎉 b e\u0301 c 👩\u200d👩")


def test_two_combining_characters_are_a_selection():
    replaced("a e\u0301x b\n", ["1.3,1.4"], "o", "a ox b\n", "e\u0301")


def test_tabs_and_white_space_at_the_edges():
    replaced("\tif x:  \n", ["1.1,1.7"], "\tif y: \t", "\tif y: \t \n", "\tif x: ")


def test_backslashes():
    replaced("\\alpha \\\\ x\n", ["1.1,1.9"], "\\beta\\n \\\\", "\\beta\\n \\\\ x\n", "\\alpha \\\\")


def test_quotes_braces_and_expansions():
    text = "it's \"%{ %sh{touch x} } <ret> $HOME `id` %val{session} ''"
    replaced(text + "\n", [f"1.1,1.{len(text)}"], text + "'} {", text + "'} {\n", text)


def test_markup_is_text():
    with Kak("one two\n", {REPHRASE: [result("{red}a{\\}b %opt{x}")]}) as kak:
        kak.keys("%").command("inkling-rephrase")
        kak.wait_info("{red}a{\\}b %opt{x}")


def test_crlf_buffer():
    replaced(b"one\r\ntwo\r\nthree\r\n", ["1.1,2.4"], "1\n2\n", b"1\r\n2\r\nthree\r\n", "one\ntwo\n")


def test_mixed_line_ends():
    replaced(b"one\r\ntwo\nthree\n", ["1.1,2.4"], "1\r\n2\n", b"1\r\n2\nthree\n", "one\r\ntwo\n")


def test_byte_order_mark_stays():
    replaced(b"\xef\xbb\xbfone\n", ["1.1,1.3"], "1", b"\xef\xbb\xbf1\n", "one")


def test_a_cursor_means_its_paragraph():
    replaced("one\n\ntwo\nthree\n\nfour\n", ["3.2,3.2"], "2\n3\n", "one\n\n2\n3\n\nfour\n", "two\nthree\n")


def test_a_cursor_on_a_blank_means_its_paragraph():
    replaced("a b\n\nc\n", ["1.2,1.2"], "A\n", "A\n\nc\n", "a b\n")


def test_cursors_of_one_paragraph_ask_once():
    with Kak("one two\n", {REPHRASE: [result("1\n")]}) as kak:
        kak.select("1.1,1.1", "1.5,1.5").command("inkling-rephrase")
        kak.wait_ready(1)
        same(len(kak.sent(REPHRASE)), 1)


def test_nothing_but_blanks_is_said():
    with Kak("\n\n\n") as kak:
        kak.select("2.1,2.1").command("inkling-rephrase")
        kak.wait_status("nothing but white space")
        same(kak.sent(REPHRASE), [])


def test_many_selections_at_once_are_one_undo():
    answers = [result("ONE"), result("TWO and more"), result("3\n4")]
    with Kak("one two three\nfour\n", {REPHRASE: answers}) as kak:
        kak.select("1.1,1.3", "1.5,1.7", "1.9,1.13").command("inkling-rephrase shorter")
        kak.wait_ready(3)
        texts = [params["text"] for params in kak.sent(REPHRASE)]
        same(texts, ["one", "two", "three"])
        same({params["tone"] for params in kak.sent(REPHRASE)}, {"shorter"})
        kak.accept()
        kak.wait_text("ONE TWO and more 3\n4\nfour\n")
        wait(lambda: kak.selections() == ["ONE", "TWO and more", "3\n4"], lambda: str(kak.selections()))
        kak.keys("u")
        same(kak.text(), "one two three\nfour\n")


def test_many_selections_are_asked_at_once():
    plays = [[{"until": "never"}, {"result": {"text": "x"}}]]
    with Kak("a1 a2 a3 a4 a5 a6 a7 a8 a9 b1\n", {REPHRASE: plays}) as kak:
        kak.keys("%s\\w\\d<ret>").command("inkling-rephrase")
        kak.wait_sent(REPHRASE, 10)


def test_a_selection_larger_than_an_environment():
    text = "word é " * 60000
    with Kak(text + "\n", {REPHRASE: [result(text.upper())]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_ready()
        same(kak.sent(REPHRASE)[0]["text"], text + "\n")
        kak.accept()
        kak.wait_clean()
        same(kak.text(), text.upper() + "\n")
        kak.keys("u")
        same(kak.text(), text + "\n")


def test_what_is_no_utf8_is_refused():
    with Kak(b"one \xff two\n") as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_status("no valid UTF-8")
        same(kak.sent(REPHRASE), [])
        same(kak.bytes(), b"one \xff two\n")


def test_names_of_buffers_with_odd_characters():
    replaced("one two\n", ["1.1,1.3"], "1", "1 two\n", "one", name="it's, a {file} %x.md")
