vim9script
# Conversations, and reading ahead.

const SESSION = {session: {sessionId: 's1', title: 'Vim'}}

def Open(methods: dict<any>)
  g:Daemon(extend({'session/create': [[{result: SESSION}]]}, methods))
  InklingChat
  stopinsert
enddef

def Say(message: string)
  g:Keys($"GA{message}\<CR>")
enddef

def g:Test_chat_streams_and_keeps_what_is_being_written()
  Open({'assistant/chat': [[{text: "An owl\nor"}, {until: 'assistant/prewarm'},
    {result: {text: "An owl\nor a fox."}}]]})
  Say('Who?')
  g:WaitForScreen('or')
  g:Keys('GAnext question')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForScreen('or a fox.')
  assert_equal(['> Who?', 'An owl', 'or a fox.', '', '> next question'], g:Text())
  var params = g:Sent('assistant/chat')[0].params
  assert_equal(['Who?', 's1'], [params.message, params.sessionId])
enddef

def g:Test_chat_retry_and_undo()
  Open({'assistant/chat': [g:Answer('first'), g:Answer('second'), g:Answer("third\nline")],
    'session/rewind': [[{result: SESSION}]]})
  Say('a')
  g:WaitForScreen('first')
  Say('b')
  g:WaitForScreen('second')
  g:Keys('gzr')
  g:WaitForScreen('third')
  assert_equal(['> a', 'first', '', '> b', 'third', 'line', '', '> '], g:Text())
  assert_equal(v:true, g:Sent('assistant/chat')[2].params.retry)
  assert_false(has_key(g:Sent('assistant/chat')[2].params, 'message'))
  g:Keys('gzu')
  g:WaitForSent('session/rewind')
  assert_equal(['> a', 'first', '', '> '], g:Text())
enddef

def g:Test_chat_stop_and_error_leave_nothing()
  Open({'assistant/chat': [[{text: 'begun'}, {seconds: 20}], [{text: 'half'}, {error: {code: 1, message: 'Too hot.'}}],
    g:Answer('good'), [{text: 'retry'}, {seconds: 20}]]})
  Say('a')
  g:WaitForScreen('begun')
  g:Keys("\<C-c>")
  g:WaitForSent('$/cancelRequest')
  assert_equal(['> '], g:Text())
  Say('b')
  g:WaitFor(() => execute('messages') =~ 'Too hot', 'the error')
  assert_equal(['> '], g:Text())
  Say('c')
  g:WaitForScreen('good')
  g:Keys('gzr')
  g:WaitForScreen('retry')
  g:Keys("\<C-c>")
  assert_equal(['> c', 'good', '', '> '], g:Text())
enddef

def g:Test_chat_outlives_its_daemon()
  var gone = {error: {code: 1003, message: 'gone', data: {kind: 'sessionNotFound', retryable: false}}}
  Open({'assistant/chat': [g:Answer('first'), [gone], g:Answer('second')]})
  Say('a')
  g:WaitForScreen('first')
  Say('b')
  g:WaitForScreen('second')
  var transcript = g:Sent('session/create')[1].params.transcript
  assert_equal([['prompt', 'a'], ['response', 'first']], mapnew(transcript, (_, entry) => [entry.role, entry.text]))
  assert_equal(['> a', 'first', '', '> b', 'second', '', '> '], g:Text())
enddef

def g:Test_chat_voice_and_end()
  Open({'assistant/chat': [g:Answer('first')], 'session/update': [[{result: SESSION}]],
    'session/delete': [[{result: v:null}]]})
  Say('a')
  g:WaitForScreen('first')
  InklingVoice buzz
  g:WaitForSent('session/update')
  assert_equal('buzz', g:Sent('session/update')[0].params.personality)
  bwipeout!
  g:WaitForSent('session/delete')
enddef

# Reading ahead needs a daemon that is in use.
