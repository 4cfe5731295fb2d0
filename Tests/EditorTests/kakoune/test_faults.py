"""What goes wrong: errors, empty answers, changed text, cancellation, daemons and editors that end."""
import os
import signal
import subprocess

from driver import Kak, result, same, wait

REPHRASE = "assistant/rephrase"
HOLD = {"until": "never"}
WRITING = [[{"text": "some words"}, HOLD]]


def error(code, message, **data):
    return [{"error": {"code": code, "message": message, "data": data}}]


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


def children(process):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], stdout=subprocess.PIPE, text=True, check=False)
    return [int(word) for word in done.stdout.split()]


def test_error_with_its_remedy():
    play = error(1001, "The file is no GGUF model.", kind="modelUnavailable", retryable=False, remedy="Choose another.")
    with Kak("one\n", {REPHRASE: [[{"text": "void"}] + play]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_status("The file is no GGUF model. Choose another.")
        kak.wait_clean()
        same(kak.text(), "one\n")
        wait(lambda: not kak.info, "no box")


def test_an_unknown_tone_is_said():
    with Kak("one\n", {REPHRASE: [error(-32602, "tone must be one of “formal”, “plain”")]}) as kak:
        kak.keys("x").command("inkling-rephrase foo")
        kak.wait_status("tone must be one of “formal”, “plain”")


def test_a_wrong_number_is_said():
    with Kak("one\n") as kak:
        kak.keys("x").command("inkling-summarize bullets many")
        kak.wait_status("must be a number, not “many”")
        same(kak.regions(), [])


def test_an_empty_answer_changes_nothing():
    for preview in ("true", "false"):
        with Kak("one\n", {REPHRASE: [result("", alternatives=[""])]},
                 settings=f"set-option global inkling_preview {preview}") as kak:
            kak.keys("x").command("inkling-rephrase")
            kak.wait_status("The answer is empty. Nothing was changed.")
            kak.wait_clean()
            same(kak.text(), "one\n")


def test_edits_elsewhere_move_the_region():
    play = [[{"text": "1"}, {"until": "daemon/status"}, {"result": {"text": "TWO"}}]]
    with Kak("one two three\n", {REPHRASE: play}) as kak:
        kak.select("1.5,1.7").command("inkling-rephrase")
        kak.wait_info("1")
        kak.select("1.1,1.3").keys("c", "é🎉", "<ret>", "x", "<esc>", "O", "new", "<esc>", "g", "e")
        kak.command("inkling-status").wait_ready()
        kak.command("inkling-accept-all").wait_clean()
        same(kak.text(), "é🎉\nnew\nx TWO three\n")


def test_typed_at_the_edges_is_outside():
    with Kak("one two three\n", {REPHRASE: [result("TWO")]}) as kak:
        kak.select("1.5,1.7").command("inkling-rephrase").wait_ready()
        kak.keys("i", "<lt>", "<esc>").select("1.6,1.8").keys("a", "<gt>", "<esc>")
        same(kak.text(), "one <two> three\n")
        kak.accept().wait_text("one <TWO> three\n")


def test_edited_inside_is_refused():
    with Kak("one two three\n", {REPHRASE: [result("TWO"), result("AGAIN")]}) as kak:
        kak.select("1.5,1.7").command("inkling-rephrase").wait_ready()
        kak.select("1.6,1.6").keys("i", "X", "<esc>").accept()
        kak.wait_status("The text was changed since it was asked for")
        same(kak.text(), "one tXwo three\n")
        kak.keys(":enter-user-mode inkling<ret>", "g")
        kak.wait_sent(REPHRASE, 2)
        same(kak.sent(REPHRASE)[1]["text"], "tXwo")
        kak.wait_info("AGAIN")
        kak.accept().wait_text("one AGAIN three\n")


def test_edited_inside_without_preview_is_refused():
    play = [[{"text": "1"}, {"until": "daemon/status"}, {"result": {"text": "TWO"}}]]
    with Kak("one two\n", {REPHRASE: play}, settings="set-option global inkling_preview false") as kak:
        kak.select("1.5,1.7").command("inkling-rephrase")
        kak.wait_info("1")
        kak.select("1.6,1.6").keys("d").command("inkling-status")
        kak.wait_status("The text was changed since it was asked for")
        same(kak.text(), "one to\n")


def test_deleted_text_is_refused():
    with Kak("one two three\n", {REPHRASE: [result("TWO")]}) as kak:
        kak.select("1.5,1.7").command("inkling-rephrase").wait_ready()
        kak.keys("d").command("inkling-accept-all")
        kak.wait_status("The text was changed since it was asked for")
        same(kak.text(), "one  three\n")
        kak.select("1.5,1.5").command("inkling-discard").wait_clean()
        kak.keys("u")
        same(kak.text(), "one two three\n")


def test_escape_stops_what_is_at_the_cursor_only():
    with Kak("one\n\ntwo\n", {REPHRASE: WRITING}) as kak:
        kak.select("1.1,1.1").command("inkling-rephrase")
        kak.wait_sent(REPHRASE, 1)
        kak.select("3.1,3.1").command("inkling-rephrase")
        kak.wait_info("some words")
        kak.keys("<esc>")
        wait(lambda: len(kak.regions()) == 1, "one region")
        cancelled = kak.wait_sent("$/cancelRequest")
        same(len(cancelled), 1)
        asked = [entry["in"]["id"] for entry in kak.log() if entry.get("in", {}).get("method") == REPHRASE]
        same(cancelled[0]["id"], asked[1])
        wait(lambda: any(entry.get("cancelled") == asked[1] for entry in kak.log()), "the daemon stopped")
        kak.command("inkling-stop-all").wait_clean()
        same(len(kak.sent("$/cancelRequest")), 2)
        same(kak.text(), "one\n\ntwo\n")


def test_a_stopped_request_inserts_nothing_later():
    play = [[{"text": "1"}, {"until": "daemon/status", "deaf": True}, {"result": {"text": "late"}}]]
    with Kak("one\n", {REPHRASE: play}, settings="set-option global inkling_preview false") as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("1")
        kak.command("inkling-stop").wait_clean()
        kak.command("inkling-status")
        wait(lambda: any("late" in str(entry.get("out")) for entry in kak.log()), "the late answer")
        kak.command("inkling-status")
        kak.wait_sent("daemon/status", 2)
        same(kak.text(), "one\n")
        same(kak.get("%val{history_id}"), ["0"])


def test_stop_of_a_retry_keeps_the_answer():
    with Kak("one\n", {REPHRASE: [result("A\n")] + WRITING}) as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        kak.command("inkling-retry")
        kak.wait_info("some words")
        kak.keys("<esc>").wait_ready()
        kak.accept().wait_text("A\n")


def test_asking_again_takes_the_place_of_the_first():
    with Kak("one\n", {REPHRASE: WRITING + [result("B\n")]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("some words")
        kak.command("inkling-rephrase").wait_ready()
        kak.wait_sent("$/cancelRequest")
        same(len(kak.regions()), 1)


def test_daemon_killed_while_it_writes():
    with Kak("one\n", {REPHRASE: [[{"text": "some"}, {"exit": 1}]]}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_status("The connection to Inkling has ended")
        kak.wait_clean()
        same(kak.text(), "one\n")
        (kak.folder / "script.json").write_text('{"methods": {"assistant/rephrase": [[{"result": {"text": "1\\n"}}]]}}')
        kak.command("inkling-rephrase").wait_ready()
        kak.accept().wait_text("1\n")


def test_no_program_says_what_to_do():
    with Kak("one\n", command=["/nowhere/inkling", "connect"]) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_status("Install it, or set inkling_command")
        kak.wait_clean()


def test_no_python_freezes_nothing():
    with Kak("one\n", settings="set-option global inkling_python /nowhere/python") as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_status("there is no /nowhere/python")
        kak.keys("c", "typed", "<esc>")
        same(kak.text(), "typed\n")


def test_a_slow_start_freezes_nothing():
    slow = ["sh", "-c", "sleep 20"]
    with Kak("one\n\n", command=slow) as kak:
        kak.keys("x").command("inkling-rephrase")
        wait(lambda: kak.regions(), "the region")
        kak.keys("j", "i", "typed", "<esc>")
        same(kak.text(), "one\ntyped\n")
        kak.keys("gg", "<esc>").wait_clean()


def test_a_fast_answer_of_many_parts_is_shown_whole():
    words = [{"text": f"word{number:03} ", "offset": 8 * number} for number in range(400)]
    whole = "".join(word["text"] for word in words) + "\n"
    with Kak("one\n", {REPHRASE: [words + result(whole)]}) as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        same(len(kak.infos) < 200, True, "updates are merged")
        kak.accept().wait_text(whole)


def test_messages_in_pieces_and_together():
    methods = {REPHRASE: [[{"hold": True}, {"text": "a é"}, {"result": {"text": "a é\n"}}, {"hold": False}]]}
    for chunk in (1, None):
        with Kak("one\n", methods, {"chunk": chunk} if chunk else {}) as kak:
            kak.keys("x").command("inkling-rephrase").wait_ready()
            kak.accept().wait_text("a é\n")


def test_fences_and_preambles_are_the_daemons():
    answer = "```sh\nls\n```\n\n```sh\ncd\n```\n"
    with Kak("one\n", {REPHRASE: [result(answer)]}) as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        kak.accept().wait_text(answer)


def test_the_answer_goes_to_its_buffer():
    play = [[{"text": "1"}, {"until": "daemon/status"}, {"result": {"text": "ONE\n"}}]]
    with Kak("one\n", {REPHRASE: play}, settings="set-option global inkling_preview false") as kak:
        first = kak.get("%val{bufname}")[0]
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("1")
        kak.command("edit -scratch other").keys("i", "mine", "<esc>").command("inkling-status")
        wait(lambda: kak.text(buffer=first) == "ONE\n", "the answer in its buffer")
        same(kak.text(), "mine\n")
        same(kak.get("%val{bufname}"), ["other"])


def test_closing_a_buffer_cancels_its_requests():
    with Kak("one\n", {REPHRASE: WRITING}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("some words")
        kak.command("edit -scratch other").command("delete-buffer! " + str(kak.path))
        kak.wait_sent("$/cancelRequest")
        wait(lambda: kak.get("%opt{inkling_status}") == [""], "no status")


def leave(kak, end):
    kak.keys("x").command("inkling-rephrase")
    kak.wait_info("some words")
    helper = kak.helper()
    processes = [helper] + children(helper)
    same(len(processes) >= 2, True, "helper and daemon")
    end(kak)
    wait(lambda: not any(alive(process) for process in processes), "the end of the helper and the daemon")
    wait(lambda: not list(kak.runtime.glob("inkling-kakoune.*")), "no folder left")


def test_quit_leaves_nothing_behind():
    with Kak("one\n", {REPHRASE: WRITING}) as kak:
        leave(kak, lambda kak: kak.send("keys", ":", "kill!", "<ret>"))


def test_a_killed_editor_leaves_nothing_behind():
    with Kak("one\n", {REPHRASE: WRITING}) as kak:
        leave(kak, lambda kak: (kak.process.send_signal(signal.SIGKILL), kak.process.wait()))


def test_a_terminal_that_closes_leaves_nothing_behind():
    def hang_up(kak):
        os.kill(kak.helper(), signal.SIGHUP)
        kak.send("keys", ":", "kill!", "<ret>")
    with Kak("one\n", {REPHRASE: WRITING}) as kak:
        leave(kak, hang_up)


def test_a_helper_that_ended_is_started_again():
    with Kak("one\n", {REPHRASE: WRITING}) as kak:
        kak.keys("x").command("inkling-rephrase")
        kak.wait_info("some words")
        first = kak.helper()
        os.kill(first, signal.SIGTERM)
        wait(lambda: not alive(first), "the end of the helper")
        kak.keys("x").command("inkling-rephrase")
        kak.wait_sent(REPHRASE, 2)
        wait(lambda: len(kak.regions()) == 1, lambda: str(kak.regions()))
