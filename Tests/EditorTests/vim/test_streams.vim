vim9script
# How answers arrive: in pieces, at last, wrong, late, or not at all.

const LATER = {seconds: 20}

def Start(plays: list<any>, lines = ['one two', 'three'], keys = 'gggzz')
  g:Daemon({'assistant/rephrase': plays})
  g:Buffer(lines)
  g:Keys(keys)
enddef

def Message(body: dict<any>): string
  var text = json_encode(extendnew({jsonrpc: '2.0'}, body))
  return $"Content-Length: {len(text)}\r\n\r\n{text}"
enddef

def Piece(delta: string, offset: number): string
  var value = {kind: 'text', offset: offset, delta: delta}
  return Message({method: '$/progress', params: {token: 'text-1-1', value: value}})
enddef

def g:Test_pieces_are_cut_and_appended()
  Start([[{text: 'é👍 first'}, {text: 'second', offset: 7}, {until: 'assistant/prewarm'}, {text: 'anew'}, LATER]])
  g:WaitForScreen('é👍 second')
  assert_false(g:OnScreen('first'))
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForScreen('anew')
  assert_false(g:OnScreen('second'))
enddef

def g:Test_utf16_offsets_of_pieces_and_edits()
  var lines = ['a 👍 b 👍 c']
  g:Daemon({
    initialize: [[{result: {serverInfo: {name: 'inkling', version: '1'}, capabilities: {positionEncoding: 'utf-16',
      experimental: {assistant: {features: [], tones: [], kinds: [], personalities: [], methods: []}}}}}]],
    'assistant/rephrase': [[{text: 'é👍 first'}, {text: 'second', offset: 4}, {until: 'assistant/prewarm'},
      {result: {text: 'a 👍 B 👍 C', edits: [
        {start: 5, end: 6, newText: 'B'}, {start: 10, end: 11, newText: 'C'}]}}]],
  })
  g:Buffer(lines)
  Inkling rephrase
  g:WaitForScreen('é👍 second')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['a 👍 B 👍 C'], g:Text())
enddef

def g:Test_a_message_in_two_chunks_and_three_in_one()
  var whole = Piece('split', 0)
  Start([[{raw: whole[: 30]}, {seconds: 0.05}, {raw: whole[31 :]}, {seconds: 0.05},
    {raw: Piece(' and', 5) .. Piece(' joined', 9) .. Piece('!', 16)}, LATER]])
  g:WaitForScreen('split and joined!')
enddef

def g:Test_huge_answer()
  var line = repeat('word ', 20) .. 'end'
  var text = join(repeat([line], 2000), "\n")
  Start([[{text: text}, {result: {text: text}}]])
  g:WaitForAnswer()
  var began = reltime()
  g:Keys("\<CR>")
  assert_inrange(0.0, 2.0, reltimefloat(reltime(began)))
  assert_equal(2001, line('$'))
  assert_equal([line, 'three'], getline(2000, 2001))
  g:AssertClean()
  undo
  assert_equal(['one two', 'three'], g:Text())
enddef

def g:Test_huge_source_with_many_edits()
  var lines = repeat([repeat('word ', 20)], 2000)
  var edits = mapnew(range(0, 197 * 1010, 101), (_, at) => ({start: at, end: at + 4, newText: 'WORD'}))
  var expected = repeat(['WORD ' .. repeat('word ', 19)], len(edits)) + lines[len(edits) :]
  g:Daemon({'assistant/rephrase': [[{result: {text: join(expected, "\n"), edits: edits}}]]})
  g:Buffer(lines)
  execute ':%Inkling rephrase'
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(expected, g:Text())
  undo
  assert_equal(lines, g:Text())
enddef

def g:Test_typing_works_while_a_request_waits()
  Start([[{work: {kind: 'begin', title: 'Rephrase', percentage: 0}},
    {work: {kind: 'report', message: 'Loading the model', percentage: 30}}, LATER]])
  g:WaitForScreen('Loading the model 30 %')
  assert_equal('Inkling: Loading the model 30 %', inkling#Status())
  var began = reltime()
  g:Keys("Gotyped meanwhile\<Esc>")
  assert_inrange(0.0, 0.5, reltimefloat(reltime(began)))
  assert_equal(['one two', 'three', 'typed meanwhile'], g:Text())
enddef

def g:Test_empty_answers_delete_nothing()
  Start([[{result: {text: ''}}]])
  g:WaitFor(() => execute('messages') =~ 'the model wrote nothing', 'a message')
  popup_clear()
  assert_equal(['one two', 'three'], g:Text())
  g:AssertClean()
enddef

def g:Test_errors_void_what_was_shown_and_say_the_remedy()
  Start([[{text: 'half an answ'}, {error: {code: 1001, message: 'No model. Run inkling models.'}}]])
  g:WaitFor(() => execute('messages') =~ 'No model. Run inkling models.', 'a message')
  assert_false(g:OnScreen('half an answ'))
  assert_equal(['one two', 'three'], g:Text())
  g:AssertClean()
enddef

def g:Test_a_long_error_asks_for_no_key()
  Start([[{error: {code: 1001, message: repeat('far too long ', 30) .. 'end.'}}]])
  g:WaitForScreen('end.')
  g:Keys("ix\<Esc>")
  assert_equal('xone two', getline(1))
enddef

def g:Test_a_program_that_is_missing()
  g:inkling_command = ['no-such-inkling', 'connect']
  g:Buffer(['text'])
  g:Keys('gzz')
  g:WaitForScreen('there is no program “no-such-inkling”')
enddef

def g:Test_a_program_that_fails_to_start()
  g:inkling_command = ['sh', '-c', 'echo broken >&2; exit 3']
  g:Buffer(['text'])
  g:Keys('gzz')
  g:WaitFor(() => execute('messages') =~ 'could not be started', 'a message')
enddef

def g:Test_cancel_sends_and_nothing_comes_later()
  g:Daemon({
    'assistant/rephrase': [[{text: 'begun'}, LATER]],
    'assistant/summarize': [[{raw: Message({id: 2, result: {text: 'LATE', edits: [], alternatives: ['LATE'],
      warnings: []}})}, {result: {text: 'sum'}}]],
  })
  g:Buffer(['one two', 'three'])
  Inkling! rephrase
  g:WaitForScreen('begun')
  g:Keys("\<C-c>")
  g:WaitForSent('$/cancelRequest')
  assert_equal(2, g:Sent('$/cancelRequest')[0].params.id)
  assert_false(g:OnScreen('begun'))
  g:AssertClean()
  Inkling summarize
  g:WaitForAnswer()
  assert_equal(['one two', 'three'], g:Text())
enddef

def g:Test_ten_at_once_and_only_one_is_cancelled()
  var plays = mapnew(range(10), (_, index) => [{text: $'draft {index}'}, {until: 'assistant/prewarm'},
    {result: {text: $'ANSWER {index}'}}])
  var lines = flattennew(mapnew(range(10), (_, index) => [$'text {index}', '']))
  g:Daemon({'assistant/rephrase': plays})
  g:Buffer(lines)
  for index in range(10)
    cursor(2 * index + 1, 1)
    Inkling rephrase
    g:WaitForSent('assistant/rephrase', index + 1)
  endfor
  assert_equal('Inkling: 10 at work', inkling#Status())
  cursor(7, 1)
  g:Keys("\<C-c>")
  g:WaitForSent('$/cancelRequest')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => inkling#Status() =~# '^Inkling: 9 to decide', 'nine answers')
  assert_equal(1, len(g:Sent('$/cancelRequest')))
  assert_equal(lines, g:Text())
  for index in range(10)
    cursor(2 * index + 1, 1)
    if index != 3
      g:Keys("\<CR>")
    endif
  endfor
  assert_equal(flattennew(mapnew(range(10), (_, index) => [index == 3 ? 'text 3' : $'ANSWER {index}', ''])), g:Text())
  g:AssertClean()
enddef

def g:Test_the_process_is_killed_and_started_again()
  Start([[{text: 'half'}, {until: 'assistant/prewarm'}, {exit: 1}]])
  g:WaitForScreen('half')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => execute('messages') =~ 'its process ended', 'a message')
  assert_false(g:OnScreen('half'))
  g:AssertClean()
  g:Daemon({'assistant/rephrase': [g:Answer('again')]})
  popup_clear()
  g:Keys('gzz')
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['again', 'three'], g:Text())
enddef

def g:Test_tools_of_others_are_declined()
  Start([[{raw: Message({id: 'call', method: 'tool/call', params: {callId: 'c', name: 'x', arguments: {}, confirm:
    false}})}, LATER]])
  g:WaitFor(() => string(g:Log()) =~# "'in': {[^{]*{[^}]*Vim runs no tools", 'an answer')
enddef

def g:Test_configuration_that_changes()
  g:Daemon({'assistant/rephrase': [[{notify: ['assistant/didChangeConfiguration', {features: [
    {id: 'newest', title: 'Newest', description: '', input: 'none', output: 'show', suggestions: []}],
    tones: [{id: 'pirate', title: 'Pirate', description: ''}], personalities: []}]}] + g:Answer('x')]})
  assert_equal(['rephrase', 'summarize', 'brainstorm', 'commit'], getcompletion('Inkling ', 'cmdline'))
  assert_equal(['formal', 'friendly'], getcompletion('Inkling rephrase f', 'cmdline'))
  assert_equal(['placement=below'], getcompletion('Inkling summarize placement=b', 'cmdline'))
  assert_equal(['woody'], getcompletion('InklingVoice w', 'cmdline'))
  g:Buffer(['text'])
  Inkling rephrase
  g:WaitForAnswer()
  assert_equal(['newest'], getcompletion('Inkling ', 'cmdline'))
  assert_equal(['pirate'], getcompletion('Inkling rephrase p', 'cmdline')[: 0])
enddef
