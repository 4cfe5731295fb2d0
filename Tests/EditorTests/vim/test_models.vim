vim9script
# Choosing a model, kept conversations, and the status line.

# A program that lists two models, remembers what it was told, and otherwise does what `methods` say.
def Program(methods: dict<any>, running: bool)
  g:Daemon(methods)
  var models = [{name: 'small', path: '/models/small.gguf', inUse: true, sizeBytes: 98000000, fits: 'yes'},
    {name: 'large one', path: '/models/large one.gguf', inUse: false, sizeBytes: 9800000000, fits: 'no'}]
  var script = ['#!/bin/sh', $'cd "{$TEST_FOLDER}"', 'case "$1 $2" in',
    $"'models list') echo '{json_encode({models: models})}' ;;",
    "'models use') [ \"$3\" != none ] || { echo 'There is no model “none”.' >&2; exit 1; }",
    '  echo "$3" >> used; echo "$3 is the model from the next start on." ;;',
    $"'status --json') exit {running ? 0 : 3} ;;",
    "'stop ') echo stop >> used; echo 'Stopped the daemon.' ;;",
    $'*) exec {join(g:inkling_command)} ;;', 'esac']
  writefile(script, $TEST_FOLDER .. '/program')
  setfperm($TEST_FOLDER .. '/program', 'rwx------')
  g:inkling_command = [$TEST_FOLDER .. '/program', 'connect']
enddef

def Used(): list<string>
  return filereadable($TEST_FOLDER .. '/used') ? readfile($TEST_FOLDER .. '/used') : []
enddef

def g:Test_a_model_is_chosen_and_the_daemon_stopped_only_when_wanted()
  Program({}, true)
  InklingModel
  g:WaitForScreen('* small  98 MB')
  assert_true(g:OnScreen('large one  9800 MB, does not fit'))
  g:Keys("j\<CR>")
  g:WaitForScreen('keeps its model')
  assert_equal(['/models/large one.gguf'], Used())
  assert_match('large one.gguf is the model', execute('messages'))
  g:Keys("\<CR>")
  assert_false(g:OnScreen('keeps its model'))
  InklingModel small
  g:WaitForScreen('keeps its model')
  g:Keys("j\<CR>")
  g:WaitFor(() => Used() ==# ['/models/large one.gguf', 'small', 'stop'], 'the stop')
enddef

def g:Test_a_model_without_a_daemon_asks_nothing_and_errors_are_told()
  Program({}, false)
  InklingModel none
  g:WaitFor(() => execute('messages') =~ 'There is no model “none”', 'the error')
  InklingModel small
  g:WaitFor(() => execute('messages') =~ 'small is the model from the next start on', 'the answer')
  assert_false(g:OnScreen('keeps its model'))
  g:inkling_command = ['/nowhere/inkling', 'connect']
  InklingModel
  assert_match('there is no program “/nowhere/inkling”', execute('messages'))
enddef

def g:Test_completion_of_models()
  Program({}, false)
  assert_equal(['large one'], getcompletion('InklingModel l', 'cmdline'))
enddef

def Session(id: string, title: string, persisted: bool): dict<any>
  return {sessionId: id, title: title, persisted: persisted, turns: 1, updatedAt: '2026-01-05T10:00:00Z'}
enddef

const SESSIONS = [Session('film', 'A film', true), Session('own', 'Not kept', false), Session('trip', '', true)]

def g:Test_a_kept_conversation_is_gone_on_with()
  var transcript = [{role: 'instructions', text: 'Be brief.'}, {role: 'prompt', text: "Who\nlives here?"},
    {role: 'toolCall', name: 'x'}, {role: 'response', text: "An owl.\n\nAnd a fox."}]
  g:Daemon({'session/list': [[{result: {sessions: SESSIONS}}]],
    'session/get': [[{result: {session: SESSIONS[0], transcript: transcript}}]],
    'session/rewind': [[{result: {}}]], 'assistant/chat': [g:Answer('Two.')]})
  InklingSessions
  g:WaitForScreen('A film  (1 turn)')
  assert_true(g:OnScreen('trip  (1 turn)'))
  assert_false(g:OnScreen('Not kept'))
  g:Keys("j\<CR>")
  g:WaitForScreen('And a fox.')
  stopinsert
  assert_equal(['> Who lives here?', 'An owl.', '', 'And a fox.', ''], getline(1, 5))
  g:Keys("GAHow many?\<CR>")
  g:WaitForScreen('Two.')
  assert_equal(['film', 'How many?'], [g:Sent('assistant/chat')[0].params.sessionId,
    g:Sent('assistant/chat')[0].params.message])
  g:WaitFor(() => !inkling#chat#Writing(), 'the end of the answer')
  stopinsert
  g:Keys('gzugzu')
  g:WaitForSent('session/rewind', 2)
  assert_equal(1, line('$'))
  var buffer = bufnr()
  wincmd p
  # It is there already: its buffer is shown.
  InklingSessions
  g:WaitForScreen('A film')
  g:Keys("j\<CR>")
  assert_equal(buffer, bufnr())
  bwipeout!
  InklingStatus
  g:WaitForSent('daemon/status')
  assert_equal([], g:Sent('session/delete'), 'what is kept outlives its buffer')
enddef

def g:Test_a_kept_conversation_is_deleted_only_when_wanted()
  g:Daemon({'session/list': [[{result: {sessions: SESSIONS}}]], 'session/delete': [[{result: v:null}]]})
  for keys in ["d\<CR>", "dj\<CR>"]
    InklingSessions
    g:WaitForScreen('A film')
    g:Keys('j')
    g:Keys(keys)
  endfor
  g:WaitFor(() => execute('messages') =~ 'was deleted', 'the end')
  assert_equal(['film'], mapnew(g:Sent('session/delete'), (_, message) => message.params.sessionId))
enddef

def g:Test_no_kept_conversation()
  g:Daemon({'session/list': [[{result: {sessions: [SESSIONS[1]]}}]]})
  InklingSessions
  g:WaitFor(() => execute('messages') =~ 'no conversation is kept', 'the note')
enddef

def g:Test_a_chat_is_kept_when_wanted()
  g:Daemon({'session/create': [[{result: {session: {sessionId: 's1'}, warnings: [{message: 'Not on the disk.'}]}}]],
    'assistant/chat': [g:Answer('Yes.')]})
  InklingChat!
  stopinsert
  g:Keys("GAIs it?\<CR>")
  g:WaitForScreen('Yes.')
  var params = g:Sent('session/create')[0].params
  assert_equal([true, 'Is it?'], [params.persist, params.title])
  assert_match('Not on the disk', execute('messages'))
  InklingChat
  assert_equal(2, len(filter(getbufinfo(), (_, buffer) => buffer.name =~ 'inkling://chat')), 'another chat')
enddef

def g:Test_the_status_line_tells_how_far_it_is()
  const GO = {until: 'assistant/prewarm'}
  g:Daemon({'assistant/rephrase': [[{notify: ['model/didChangeAvailability', {availability: {state: 'loading',
    progress: 0.31}}]}, {work: {kind: 'report', message: 'Loading the model', percentage: 15}}, {seconds: 0.2},
    {work: {kind: 'report', message: 'Reading the text', percentage: 72}}, GO,
    {result: {text: 'NEW', usage: {completionTokens: 30, durationMs: 2000, timeToFirstTokenMs: 500}}}]]})
  set statusline=%{inkling#Status()} laststatus=2
  g:Buffer(['old'])
  Inkling rephrase
  g:WaitForScreen('Inkling: Loading the model 15 %')
  g:WaitForScreen('Inkling: Reading the text 72 %')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForScreen('Inkling: 1 to decide, 20 tokens/s')
  g:Keys("\<C-c>")
  assert_equal('Inkling: loading 31 %', inkling#Status())
enddef
