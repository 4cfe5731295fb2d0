"""From the key to the answer that is kept, or thrown away: streaming, placements, other answers."""
from driver import Kak, result, same, wait

REPHRASE, SUMMARIZE, COMMAND = "assistant/rephrase", "assistant/summarize", "assistant/command"
HOLD = {"until": "never"}


def test_streams_below_and_leaves_the_buffer_alone():
    play = [{"text": "I will "}, {"until": "assistant/countTokens", "seconds": 0.3}, {"text": "be late.", "offset": 7},
            HOLD]
    with Kak("gonna be late\nnext\n", {REPHRASE: [play]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("I will")
        kak.wait_info("I will be late.")
        assert "Rephrase" in kak.info, kak.info
        same(kak.text(), "gonna be late\nnext\n")
        same(kak.get("%val{modified}"), ["false"])


def test_restart_by_offset():
    play = [{"text": "First é🎉 draft"}, {"seconds": 0.15}, {"text": "Second", "offset": 0}, {"seconds": 0.15},
            {"text": "ond one", "offset": 3}, HOLD]
    for encoding in ("utf-8", "utf-16", "utf-32"):
        with Kak("one\n", {REPHRASE: [play]}, {"encoding": encoding, "chunk": 7}) as kak:
            kak.keys("x").command("inkling-rephrase")
            kak.wait_info("First é🎉 draft")
            kak.wait_info("Second one"[:3] + "ond one")
            assert "First" not in kak.info, kak.info


def test_positions_after_emoji_in_each_encoding():
    for encoding, offset in (("utf-8", 6), ("utf-16", 4), ("utf-32", 3)):
        play = [{"text": "a🎉é!"}, {"text": "x", "offset": offset + (1 if encoding == "utf-8" else 0)}, HOLD]
        with Kak("one\n", {REPHRASE: [play]}, {"encoding": encoding}) as kak:
            kak.keys("x").command("inkling-rephrase")
            kak.wait_info("a🎉éx")


def test_progress_is_shown():
    play = [{"work": {"kind": "begin", "title": "Rephrase"}},
            {"work": {"kind": "report", "message": "Loading the model", "percentage": 40}}, HOLD]
    with Kak("one\n", {REPHRASE: [play]}, settings="set-option global modelinefmt '%opt{inkling_status}'") as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("Loading the model 40 %")
        wait(lambda: "Loading the model 40 %" in kak.mode_line, lambda: kak.mode_line)


def test_warnings_and_rate_are_shown():
    warning = [{"code": "protectedTextLost", "message": "“42” was lost."}]
    with Kak("one 42\n", {REPHRASE: [result("one\n", warnings=warning)]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("! “42” was lost.")
        assert "5 tokens, 83/s" in kak.info, kak.info


def test_discard_leaves_nothing():
    with Kak("one two\n", {REPHRASE: [result("1\n")]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_ready()
        kak.keys(":enter-user-mode inkling<ret>", "d")
        kak.wait_clean()
        same(kak.text(), "one two\n")
        same(kak.get("%val{history_id}"), ["0"])
        wait(lambda: not kak.info, "no box")


def test_highlight_goes_with_accept_and_undo():
    with Kak("one two\n", {REPHRASE: [result("1\n")]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_ready()
        kak.keys(";").accept()
        kak.wait_clean()
        kak.keys("u", ";")
        same(kak.regions(), [])
        wait(lambda: not any("underline" in atom["face"]["attributes"] for line in kak.lines for atom in line),
             "no highlight")
        same(kak.get("%val{history_id}"), ["0"])


def test_below_and_above():
    for placement, wanted in (("below", "one\ntwo\nA\nB\n"), ("above", "A\nB\none\ntwo\n")):
        settings = f"set-option -add global inkling_placement summarize={placement}"
        with Kak("one\ntwo\n", {SUMMARIZE: [result("A\nB")]}, settings=settings) as kak:
            kak.select("1.2,2.2").command("inkling-summarize bullets 2")
            kak.wait_ready()
            same({key: kak.sent(SUMMARIZE)[0][key] for key in ("text", "style", "count")},
                 {"text": "ne\ntw", "style": "bullets", "count": 2})
            kak.accept().wait_clean()
            same(kak.text(), wanted)
            kak.keys("u")
            same(kak.text(), "one\ntwo\n")


def test_below_many_selections():
    with Kak("one\ntwo\n", {SUMMARIZE: [result("A"), result("B")]}) as kak:
        kak.select("1.1,1.3", "2.1,2.3").command("inkling-summarize")
        kak.wait_ready(2)
        kak.accept().wait_clean()
        same(kak.text(), "one\nA\ntwo\nB\n")


def test_answers_that_go_to_several_places():
    with Kak("one\n\ntwo\n", {REPHRASE: [result("1\n")], SUMMARIZE: [result("S")]}) as kak:
        kak.select("1.1,1.1").command("inkling-rephrase").wait_ready()
        kak.select("3.1,3.1").command("inkling-summarize").wait_ready(2)
        kak.keys(":enter-user-mode inkling<ret>", "A").wait_clean()
        same(kak.text(), "1\n\ntwo\nS\n")


def test_new_buffer_yank_and_echo():
    settings = "set-option -add global inkling_placement rephrase=buffer summarize=yank commit=echo"
    methods = {REPHRASE: [result("in a\nbuffer")], SUMMARIZE: [result("yanked 'it'")],
               COMMAND: [result("shown", output="insert")]}
    with Kak("one two\n", methods, settings=settings) as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        kak.accept()
        wait(lambda: kak.get("%val{bufname}") == ["*inkling*"], "the buffer")
        same(kak.text(), "in a\nbuffer\n")
        kak.keys("q")
        same(kak.text(), "one two\n")
        kak.command("inkling-summarize").wait_ready()
        kak.accept().wait_clean()
        same(kak.get("%reg{dquote}"), ["yanked 'it'"])
        kak.command("inkling-run commit").wait_ready()
        kak.accept()
        kak.wait_info("shown")
        same(kak.text(), "one two\n")


def test_without_preview():
    with Kak("one two\n", {REPHRASE: [result("1\n")]}, settings="set-option global inkling_preview false") as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_text("1\n")
        kak.wait_clean()
        kak.keys("u")
        same(kak.text(), "one two\n")


def test_next_and_previous_answer():
    with Kak("one\n", {REPHRASE: [result("A\n", alternatives=["A\n", "B\n", "C\n"])]},
             settings="set-option global inkling_alternatives 3") as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        same(kak.sent(REPHRASE)[0]["alternatives"], 3)
        kak.wait_info("A")
        kak.keys(":enter-user-mode inkling<ret>", "n")
        kak.wait_info("\nB")
        assert "2/3" in kak.info, kak.info
        kak.keys(":enter-user-mode inkling<ret>", "p", ":enter-user-mode inkling<ret>", "p")
        kak.wait_info("C")
        kak.accept().wait_text("C\n")


def test_retry_and_instructions():
    methods = {REPHRASE: [result("A\n"), result("B\n"), result("C\n")]}
    with Kak("one\n", methods) as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        kak.keys(":enter-user-mode inkling<ret>", "g")
        kak.wait_info("B")
        assert "2/2" in kak.info, kak.info
        kak.keys(":enter-user-mode inkling<ret>", "i")
        kak.keys("like", "<space>", "it's", "<ret>")
        kak.wait_info("C")
        same(kak.sent(REPHRASE)[2]["instructions"], "like it's")
        kak.accept().wait_text("C\n")


def test_difference():
    edits = [{"start": 2, "end": 5, "newText": "deux"}, {"start": 7, "end": 7, "newText": "!"}]
    methods = {REPHRASE: [result("é deux 3!", edits=edits)]}
    with Kak("é two 3\n", methods, {"encoding": "utf-16"}) as kak:
        kak.select("1.1,1.8").command("inkling-rephrase").wait_ready()
        kak.keys(":enter-user-mode inkling<ret>", "=")
        wait(lambda: kak.get("%val{bufname}") == ["*inkling*"], "the buffer")
        same(kak.text(), "é [-two-]{+deux+} 3{+!+}\n")
        kak.keys("q")
        same(kak.text(), "é two 3\n")


def test_long_answers_can_be_opened():
    text = "".join(f"line {number}\n" for number in range(60))
    with Kak("one\n", {REPHRASE: [result(text)]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("46 more lines: o opens all of it")
        kak.keys(":enter-user-mode inkling<ret>", "o")
        wait(lambda: kak.get("%val{bufname}") == ["*inkling*"], "the buffer")
        same(kak.text(), text)


def test_the_box_follows_the_selection():
    with Kak("one\n\ntwo\n\nthree\n", {REPHRASE: [result("ONE\n"), result("TWO\n")]}) as kak:
        kak.select("1.1,1.1").command("inkling-rephrase").wait_ready()
        kak.select("3.1,3.1").command("inkling-rephrase").wait_ready(2)
        kak.wait_info("TWO")
        kak.keys("gg")
        kak.wait_info("ONE")
        kak.keys("ge")
        wait(lambda: not kak.info, "no box at another place")


def test_the_box_covers_no_prompt():
    play = [{"text": "one"}, {"until": "daemon/status"}, {"text": "two", "offset": 0}, HOLD]
    with Kak("one\n", {REPHRASE: [play]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("one")
        kak.keys(":", "e", "c", "h", "o")
        kak.evaluate("evaluate-commands -client client0 inkling-status")
        wait(lambda: "two" in kak.get("%opt{inkling_texts}")[0], "what would be shown")
        assert not any("two" in info for info in kak.infos), kak.infos
        kak.keys("<esc>")
        kak.wait_info("two")


def test_the_cursor_stays_where_it_is():
    play = [{"text": "x" * 200 + "\n"}, {"seconds": 0.1}, {"text": "y", "offset": 201}, {"result": {"text": "x\n"}}]
    with Kak("one\n\ntwo three\n", {REPHRASE: [play]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.keys("ge", "b")
        before = kak.get("%val{selections_desc}", "%val{window_range}", "%val{bufname}")
        kak.wait_ready()
        same(kak.get("%val{selections_desc}", "%val{window_range}", "%val{bufname}"), before)
