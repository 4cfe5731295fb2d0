"""All features, their completion and menus, the daemon's state, and the real program."""
import os
import re
import shutil
import subprocess

from driver import CONFIGURATION, ROOT, Kak, result, same, wait

REPHRASE, BRAINSTORM, COMMAND = "assistant/rephrase", "assistant/brainstorm", "assistant/command"


def test_brainstorm_of_a_topic_and_of_selections():
    play = [{"snapshot": {"concepts": ["A lighthouse"], "themes": []}}, {"until": "daemon/status"},
            {"result": {"rendered": "1. A lighthouse", "value": {"concepts": ["A lighthouse"]}}}]
    with Kak("a sea\n", {BRAINSTORM: [play]}) as kak:
        kak.keys("x").command("inkling-brainstorm sequel 4 'it''s a light'")
        kak.wait_info("- A lighthouse")
        kak.command("inkling-status").wait_ready()
        same({key: kak.sent(BRAINSTORM)[0].get(key) for key in ("topic", "kind", "count", "format")},
             {"topic": "it's a light", "kind": "sequel", "count": 4, "format": "plaintext"})
        kak.accept().wait_text("a sea\n1. A lighthouse\n")
        kak.select("1.1,1.5").command("inkling-brainstorm")
        same(kak.wait_sent(BRAINSTORM, 2)[1]["topic"], "a sea")


def test_own_command_and_its_output():
    with Kak("a diff\n", {COMMAND: [result("Fix it", id="commit", output="insert")]}) as kak:
        kak.keys("x").command("inkling-run commit").wait_ready()
        same({key: kak.sent(COMMAND)[0][key] for key in ("id", "text")}, {"id": "commit", "text": "a diff\n"})
        kak.accept().wait_text("a diff\nFix it\n")


def test_options_are_sent():
    settings = "set-option global inkling_tone plain\nset-option global inkling_instructions 'it''s short'"
    with Kak("one\n", {REPHRASE: [result("1\n")]}, settings=settings) as kak:
        kak.command("inkling-voice dory").command("set-option buffer filetype latex").keys("x")
        kak.command("inkling-rephrase")
        sent = kak.wait_sent(REPHRASE)[0]
        same([sent["tone"], sent["personality"], sent["instructions"], sent["context"]],
             ["plain", "dory", "it's short", {"languageId": "latex"}])


def test_completion_before_and_after_the_helper():
    with Kak("one\n", {REPHRASE: [result("1\n")]}) as kak:
        kak.send("keys", *":inkling-rephrase", "<space>", *"pla")
        wait(lambda: kak.menu == ["plain"], lambda: str(kak.menu))
        same(kak.get("%opt{inkling_pid}"), [""])
        kak.keys("<esc>", "x").command("inkling-rephrase").wait_ready()
        kak.send("keys", *":inkling-run", "<space>")
        wait(lambda: kak.menu == ["commit"], lambda: str(kak.menu))
        kak.send("keys", "<esc>", *":inkling-voice", "<space>", "d")
        wait(lambda: "dory" in kak.menu, lambda: str(kak.menu))
        kak.send("keys", "<esc>", *":inkling-summarize", "<space>")
        wait(lambda: sorted(kak.menu) == ["bullets", "headline", "sentences"], lambda: str(kak.menu))


def test_new_configuration_is_offered():
    tones = {"features": [], "tones": [{"id": "pirate", "title": "Pirate", "description": ""}], "personalities": []}
    play = [{"notify": ["assistant/didChangeConfiguration", tones]}] + result("1\n")
    with Kak("one\n", {REPHRASE: [play]}) as kak:
        kak.keys("x").command("inkling-rephrase").wait_ready()
        kak.send("keys", *":inkling-rephrase", "<space>")
        wait(lambda: kak.menu == ["pirate"], lambda: str(kak.menu))


def test_menu():
    with Kak("one\n", {REPHRASE: [result("1\n")]}) as kak:
        kak.keys("x", ":enter-user-mode inkling<ret>", "m")
        wait(lambda: "rephrase plain" in kak.menu and "commit" in kak.menu, lambda: str(kak.menu))
        kak.keys("simp")
        wait(lambda: kak.menu == ["rephrase simpler"], lambda: str(kak.menu))
        kak.keys("<ret>")
        same(kak.wait_sent(REPHRASE)[0]["tone"], "simpler")


def test_user_mode_lists_its_keys():
    with Kak("one\n") as kak:
        kak.keys(":enter-user-mode inkling<ret>")
        wait(lambda: "accept" in kak.info and "rephrase" in kak.info, lambda: kak.info)


def test_no_key_of_kakoune_is_taken():
    """All keys are in a user mode of its own, and in the buffers that it makes."""
    for path in CONFIGURATION.glob("*.kak"):
        for line in path.read_text().splitlines():
            if line.lstrip().startswith("map "):
                assert line.lstrip().startswith(("map global inkling ", "map buffer ")), line


def test_status():
    status = {"clients": [{}, {}], "totals": {"requests": 7}, "model": {
        "model": None, "availability": {"state": "unavailable", "message": "No model.", "remedy": "Fetch one."}}}
    with Kak("one\n", {"daemon/status": [[{"result": status}]]}) as kak:
        kak.command("inkling-status")
        kak.wait_info("no model\nNo model.\nFetch one.\n2 clients, 7 requests")


def test_another_model():
    play = [{"work": {"kind": "report", "percentage": 60}}, {"result": {"model": {"name": "Larger"}}}]
    with Kak("one\n", {"model/load": [play]}) as kak:
        kak.command("inkling-model larger.gguf")
        kak.wait_status("Loading the model, 60 %")
        kak.wait_status("Larger is loaded.")
        same(kak.sent("model/load")[0]["path"], str(kak.folder / "larger.gguf"))


def test_names_stand_in_the_protocol():
    """Every method and field that the helper names stands in protocol.md."""
    contract = (ROOT / "protocol.md").read_text()
    seen = set()
    for path in sorted((CONFIGURATION / "helper").glob("*.py")):
        source = path.read_text()
        for name in re.findall(r'"((?:assistant|session|model|daemon|\$)/\w+)"', source):
            seen.add(name)
            assert f"### `{name}`" in contract, f"{path.name}: {name}"
        fields = re.findall(r'(?:params|result|value|error|data|usage|edit|feature|choice|model|availability)'
                            r'(?:\.get\(|\[)"(\w+)"', source)
        fields += re.findall(r'"([a-z]+[A-Z]\w+)"', source) + re.findall(r'"(\w+)": (?=[\w{\[(f"])', source)
        own = {"plain", "sh", "org", "replace", "insert", "show", "below", "above"}
        for name in set(fields) - own:
            seen.add(name)
            assert re.search(rf'`{name}`|"{name}"', contract), f"{path.name}: {name}"
    assert len(seen) > 40, seen


def real():
    program = shutil.which(os.environ.get("INKLING_BINARY", "inkling"))
    if not program:
        raise AssertionError("there is no inkling: set INKLING_BINARY")
    return program


def real_editor(content):
    return Kak(content, command=[real(), "connect"])


def stop(kak):
    subprocess.run([real(), "stop"], env=kak.environment, check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=30)


def test_real_program_rephrases():
    with real_editor("gonna be late tmrw, train is broken again\n\nnext\n") as kak:
        try:
            kak.command("inkling-rephrase formal")
            wait(lambda: kak.get("%opt{inkling_status}") == ["inkling: 1 ready"],
                 lambda: f"an answer: {kak.status} {kak.infos[-2:]}", 60)
            same(kak.text(), "gonna be late tmrw, train is broken again\n\nnext\n")
            kak.accept().wait_clean()
            text = kak.text()
            assert text.endswith("\n\nnext\n") and text.count("\n") == 3 and not text.startswith("gonna be late"), text
            kak.keys("u")
            same(kak.text(), "gonna be late tmrw, train is broken again\n\nnext\n")
        finally:
            stop(kak)


def test_real_program_is_stopped():
    with real_editor("The ferry left at nine. It was full, and the sea was rough.\n") as kak:
        try:
            kak.keys("x").command("inkling-brainstorm ideas 40")
            wait(lambda: kak.info and "concepts" in kak.info, lambda: f"{kak.status} {kak.info}", 60)
            kak.keys("<esc>").wait_clean()
            status = [real(), "status", "--json"]
            wait(lambda: b'"activeRequests":0' in subprocess.run(
                status, env=kak.environment, stdout=subprocess.PIPE, check=False).stdout.replace(b" ", b""),
                "the end of the request in the daemon", 10)
            same(kak.text(), "The ferry left at nine. It was full, and the sea was rough.\n")
        finally:
            stop(kak)


def test_real_program_completes_and_checks():
    with real_editor("one\n") as kak:
        try:
            kak.send("keys", *":inkling-rephrase", "<space>")
            wait(lambda: "proofread" in kak.menu, lambda: str(kak.menu), 20)
            kak.send("keys", "<esc>")
            kak.command("inkling-doctor")
            wait(lambda: kak.get("%val{bufname}") == ["*inkling-doctor*"], "the findings", 90)
            assert "Helper: Python" in kak.text() and "model" in kak.text(), kak.text()
        finally:
            stop(kak)
