"""The LSP face with the client of pytest-lsp, which reads every message with the types of lsprotocol and knows what
several editors can do. Positions are counted by pygls. Every wait has a deadline."""

import asyncio
import time
import typing

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.workspace import PositionCodec, TextDocument
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

TEXT = "Notes 📝\r\n\r\n\tHi 👋🏽, hey guys, the train's broken so i'm gonna be late. Bye, Zoë!\r\n  - a last line"
SENTENCE = "hey guys, the train's broken so i'm gonna be late."
KNOWN = "A text that is known."
URI = "file:///notes.md"


class Editor:
    """Documents that are kept as the client of the server keeps them."""

    def __init__(self, client, encoding):
        self.client = client
        self.codec = PositionCodec(encoding)
        self.documents = {}
        self.answers = []

    def open(self, uri=URI, text=TEXT):
        self.documents[uri] = TextDocument(
            uri, text, version=1, language_id="markdown", sync_kind=types.TextDocumentSyncKind.Incremental,
            position_codec=self.codec)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri=uri, language_id="markdown", version=1, text=text)))

    def text(self, uri=URI):
        return self.documents[uri].source

    def span(self, start, end, uri=URI):
        """The range of the characters from start to end."""
        def position(offset):
            before = self.text(uri)[:offset]
            line = before.rpartition("\n")[2]
            return types.Position(before.count("\n"), self.codec.client_num_units(line))

        return types.Range(position(start), position(end))

    def selection(self, needle, uri=URI):
        start = self.text(uri).index(needle)
        return self.span(start, start + len(needle), uri)

    def change(self, span, text, uri=URI):
        document = self.documents[uri]
        change = types.TextDocumentContentChangePartial(range=span, text=text)
        document.apply_change(change)
        document.version += 1
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=document.version, uri=uri), [change]))

    def type(self, text, before, uri=URI):
        start = self.text(uri).index(before)
        self.change(self.span(start, start, uri), text, uri)

    def apply(self, params):
        edit = params.edit
        if edit.document_changes is not None:
            changes = [(change.text_document.uri, change.text_document.version, change.edits)
                       for change in edit.document_changes]
        else:
            changes = [(uri, None, edits) for uri, edits in (edit.changes or {}).items()]
        applied = all(
            uri in self.documents and version in (None, self.documents[uri].version) for uri, version, _ in changes)
        if applied:
            for uri, _, edits in changes:
                for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
                    self.change(edit.range, edit.new_text, uri)
        self.answers.append(applied)
        return types.ApplyWorkspaceEditResult(applied=applied)

    async def actions(self, needle, only=None, uri=URI):
        started = time.monotonic()
        actions = await self.client.text_document_code_action_async(types.CodeActionParams(
            types.TextDocumentIdentifier(uri), self.selection(needle, uri),
            types.CodeActionContext(diagnostics=[], only=only)))
        assert time.monotonic() - started < 1
        return actions or []

    async def run(self, title, needle, uri=URI):
        action = next(action for action in await self.actions(needle, uri=uri) if action.title == title)
        command = action if isinstance(action, types.Command) else action.command
        started = time.monotonic()
        answer = await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command.command, command.arguments))
        assert answer is None and time.monotonic() - started < 1

    async def wait(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            await asyncio.sleep(0.01)


def read_actions_right(converter):
    """lsprotocol 2025.0.0 takes every code action that has a command for the command alone."""
    def action(value, _):
        is_command = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if is_command else types.CodeAction)

    converter.register_structure_hook(typing.Union[types.Command, types.CodeAction], action)


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim@v0.11", "emacs"],
    config=ClientServerConfig(server_command=["inkling", "connect"]))
async def client(lsp_client: LanguageClient, request):
    read_actions_right(lsp_client.protocol._converter)
    started = time.monotonic()
    capabilities = client_capabilities(request.param)
    result = await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    assert time.monotonic() - started < 2
    editor = Editor(lsp_client, result.capabilities.position_encoding or types.PositionEncodingKind.Utf16)
    lsp_client.editor = editor

    @lsp_client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply_edit(params: types.ApplyWorkspaceEditParams):
        return editor.apply(params)

    editor.open()
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_actions_and_edits(client: LanguageClient):
    editor = client.editor
    actions = await editor.actions(SENTENCE)
    titles = [action.title for action in actions]
    assert "Rephrase: Formal" in titles and "Summarize: Bullets" in titles and "Brainstorm: Ideas" in titles
    kinds = [action.kind for action in actions if isinstance(action, types.CodeAction)]
    assert len(kinds) == len(actions)
    assert [action.kind for action in await editor.actions(SENTENCE, only=["refactor.rewrite"])] == [
        kind for kind in kinds if kind.startswith("refactor.rewrite.")]
    await editor.run("Swap", SENTENCE)
    await editor.wait(lambda: editor.answers)
    assert editor.answers == [True]
    assert editor.text() == TEXT.replace(SENTENCE, KNOWN)
    await editor.run("Swap", "a last line")
    editor.type("Old 🎈\r\n", before="Notes")
    await editor.wait(lambda: editor.text().endswith(KNOWN))
    assert editor.text() == "Old 🎈\r\n" + TEXT.replace(SENTENCE, KNOWN).replace("a last line", KNOWN)


@pytest.mark.asyncio
@pytest.mark.parametrize("client", ["visual-studio-code"], indirect=True)
async def test_rephrase(client: LanguageClient):
    editor = client.editor
    await editor.run("Rephrase: Formal", SENTENCE)
    await editor.wait(lambda: editor.answers)
    assert editor.answers == [True]
    head, tail = TEXT.split(SENTENCE)
    assert editor.text().startswith(head) and editor.text().endswith(tail) and editor.text() != TEXT
    assert editor.text().count("\n") == TEXT.count("\n")


@pytest.mark.asyncio
async def test_progress_and_cancellation(client: LanguageClient):
    editor = client.editor
    shows_progress = bool(client.capabilities.window and client.capabilities.window.work_done_progress)
    if shows_progress:
        await editor.run("Endless", "a last line")
        await editor.wait(lambda: client.progress_reports and all(client.progress_reports.values()))
        (token,) = client.progress_reports
        client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await editor.run("Swap", SENTENCE)
    await editor.wait(lambda: editor.answers)
    assert editor.answers == [True]
    assert editor.text() == TEXT.replace(SENTENCE, KNOWN)
    if shows_progress:
        def ended():
            reports = client.progress_reports.values()
            return all(report and isinstance(report[-1], types.WorkDoneProgressEnd) for report in reports)

        await editor.wait(ended)
        for reports in client.progress_reports.values():
            assert isinstance(reports[0], types.WorkDoneProgressBegin) and reports[0].title in ("Endless", "Swap")
            assert all(isinstance(report, types.WorkDoneProgressReport) for report in reports[1:-1])
    else:
        assert not client.progress_reports


@pytest.mark.asyncio
async def test_typed_inside_and_closed(client: LanguageClient):
    editor = client.editor
    editor.open("file:///closed.md")
    await editor.run("Endless", "a last line", "file:///closed.md")
    client.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///closed.md")))
    await editor.run("Slow", "a last line")
    editor.type("X", before="last line")
    await editor.wait(lambda: client.messages)
    assert "changed" in client.messages[0].message
    await editor.run("Swap", SENTENCE)
    await editor.wait(lambda: editor.answers)
    assert editor.answers == [True] and editor.text("file:///closed.md") == TEXT
    assert editor.text() == TEXT.replace("a last", "a Xlast").replace(SENTENCE, KNOWN)
