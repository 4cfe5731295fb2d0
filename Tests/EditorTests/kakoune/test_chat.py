"""The chat in a buffer."""
from driver import Kak, same, wait

CHAT = "assistant/chat"
CREATED = {"session/create": [[{"result": {"session": {}}}]]}
BUFFER = "*inkling-chat*"


def answer(text):
    return [{"text": text[:4]}, {"result": {"text": text}}]


def said(kak, *keys):
    return kak.keys(*keys, "<esc>", "<ret>")


def test_chat_in_a_buffer():
    with Kak("one\n", {CHAT: [answer("An owl.\n\nOr a\tbat."), answer("Fine.")], **CREATED}) as kak:
        kak.command("inkling-chat")
        said(kak, "Who", "<space>", "lives", "<space>", "there?")
        kak.wait_text("> Who lives there?\n\nAn owl.\n\nOr a\tbat.\n\n> \n", BUFFER)
        same(kak.get("%val{cursor_line}"), ["7"])
        said(kak, "A", "two", "<ret>", "lines")
        kak.wait_text("> Who lives there?\n\nAn owl.\n\nOr a\tbat.\n\n> two\nlines\n\nFine.\n\n> \n", BUFFER)
        same([params["message"] for params in kak.sent(CHAT)], ["Who lives there?", "two\nlines"])
        sessions = {params["sessionId"] for params in kak.sent(CHAT)}
        same(sessions, {params["sessionId"] for params in kak.sent("session/create")})
        same(len(kak.sent("session/create")), 1)


def test_chat_restarts_and_stops():
    play = [{"text": "First words"}, {"seconds": 0.15}, {"text": "Second", "offset": 0}, {"until": "never"}]
    with Kak("one\n", {CHAT: [play], **CREATED}) as kak:
        kak.command("inkling-chat 'it''s me'")
        kak.wait_text("> it's me\n\nFirst words\n\n> \n", BUFFER)
        kak.wait_text("> it's me\n\nSecond\n\n> \n", BUFFER)
        kak.keys("<esc>", "<esc>")
        kak.wait_text("> it's me\n\n(stopped)\n\n> \n", BUFFER)
        kak.wait_sent("$/cancelRequest")


def test_typing_while_the_answer_comes():
    play = [{"text": "First"}, {"until": "daemon/status"}, {"text": " words", "offset": 5},
            {"result": {"text": "First words"}}]
    with Kak("one\n", {CHAT: [play], **CREATED}) as kak:
        kak.command("inkling-chat hello")
        kak.wait_text("> hello\n\nFirst\n\n> \n", BUFFER)
        kak.keys("A", "next")
        kak.evaluate("evaluate-commands -client client0 inkling-status")
        kak.wait_text("> hello\n\nFirst words\n\n> next\n", BUFFER)
        kak.keys("<space>", "one", "<esc>")
        same(kak.text(), "> hello\n\nFirst words\n\n> next one\n")


def test_chat_error_retry_and_undo():
    failed = [{"text": "void"}, {"error": {"code": 1013, "message": "The engine died.", "data": {"retryable": True}}}]
    methods = {CHAT: [failed, answer("Better.")], "session/rewind": [[{"result": {"session": {}}}]], **CREATED}
    with Kak("one\n", methods) as kak:
        kak.command("inkling-chat hello")
        kak.wait_text("> hello\n\n(The engine died.)\n\n> \n", BUFFER)
        kak.command("inkling-retry")
        kak.wait_text("> hello\n\nBetter.\n\n> \n", BUFFER)
        kak.command("inkling-chat-undo")
        kak.wait_status("The last turn is forgotten.")


def test_a_session_that_is_gone_is_made_again():
    gone = [{"error": {"code": 1003, "message": "There is no such session.", "data": {}}}]
    with Kak("one\n", {CHAT: [answer("A."), gone, answer("B.")], **CREATED}) as kak:
        kak.command("inkling-chat one")
        kak.wait_text("> one\n\nA.\n\n> \n", BUFFER)
        kak.command("inkling-chat two")
        kak.wait_status("what was said before is forgotten")
        kak.wait_text("> one\n\nA.\n\n> two\n\nB.\n\n> \n", BUFFER)
        same(len(kak.sent("session/create")), 2)


def test_nothing_said_and_end_of_chat():
    with Kak("one\n", {CHAT: [[{"text": "some"}, {"until": "never"}]], **CREATED}) as kak:
        kak.command("inkling-chat").keys("<esc>", "<ret>")
        kak.wait_status("Write something")
        kak.command("inkling-chat hello")
        kak.wait_text("> hello\n\nsome\n\n> \n", BUFFER)
        kak.command("delete-buffer " + BUFFER)
        kak.wait_sent("$/cancelRequest")
        kak.wait_sent("session/delete")
