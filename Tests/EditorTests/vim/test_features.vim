vim9script
# Each feature, placement and key of a preview.

def Run(method: string, plays: list<any>, command: string, lines = ['one', 'two'])
  g:Daemon({[method]: plays})
  g:Buffer(lines)
  execute command
  g:WaitForAnswer()
enddef

def g:Test_tone_voice_instructions_and_language_are_sent()
  setlocal filetype=tex
  g:inkling_voice = 'woody'
  g:Daemon({'assistant/rephrase': [g:Answer('x')]})
  g:Buffer(['text'])
  setlocal filetype=tex
  Inkling rephrase shorter alternatives=2 in ten words
  g:WaitForAnswer()
  var params = g:Sent('assistant/rephrase')[0].params
  assert_equal(['text', 'shorter', 'woody', 'in ten words', 2, 'latex'], [params.text, params.tone, params.personality,
    params.instructions, params.alternatives, params.context.languageId])
enddef

def g:Test_summary_below_by_default()
  Run('assistant/summarize', [g:Answer("- a\n- b")], 'Inkling summarize bullets 2', ['one', '', 'two'])
  var params = g:Sent('assistant/summarize')[0].params
  assert_equal(['one', 'bullets', 2], [params.text, params.style, params.count])
  g:Keys("\<CR>")
  assert_equal(['one', '', '- a', '- b', '', 'two'], g:Text())
  undo
  assert_equal(['one', '', 'two'], g:Text())
  g:AssertClean()
enddef

def g:Test_above_at_once()
  g:Daemon({'assistant/summarize': [g:Answer('sum')]})
  g:Buffer(['one', 'two'])
  Inkling! summarize placement=above
  g:WaitFor(() => g:Text() ==# ['sum', '', 'one', 'two'], 'the summary above')
  g:AssertClean()
enddef

def g:Test_new_buffer()
  Run('assistant/summarize', [g:Answer("a\nb")], 'Inkling summarize placement=new')
  var buffer = bufnr()
  g:Keys("\<CR>")
  assert_equal(['a', 'b'], g:Text())
  assert_notequal(buffer, bufnr())
  assert_equal(['one', 'two'], getbufline(buffer, 1, '$'))
enddef

def g:Test_register_and_echo()
  Run('assistant/summarize', [g:Answer('sum')], 'Inkling summarize placement=register')
  g:Keys("\<CR>")
  assert_equal('sum', getreg('"'))
  popup_clear()
  Inkling summarize placement=echo
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['one', 'two'], g:Text())
  g:AssertClean()
enddef

def g:Test_brainstorm_streams_a_value_and_inserts_it_rendered()
  g:Daemon({'assistant/brainstorm': [[{snapshot: {concepts: ['An owl', 'A fox']}}, {until: 'assistant/prewarm'},
    {result: {rendered: "*Concepts*\n\n1. An owl.", value: {}}}]]})
  g:Buffer(['before', '', 'after'])
  cursor(2, 1)
  Inkling brainstorm sequel 2 a lighthouse
  g:WaitForScreen('- A fox')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForAnswer()
  var params = g:Sent('assistant/brainstorm')[0].params
  assert_equal(['a lighthouse', 'sequel', 2, 'plaintext'], [params.topic, params.kind, params.count, params.format])
  g:Keys("\<CR>")
  assert_equal(['before', '', '*Concepts*', '', '1. An owl.', '', 'after'], g:Text())
enddef

def g:Test_own_command_goes_where_it_says()
  Run('assistant/command', [[{result: {text: 'Fix it', id: 'commit', output: 'insert', edits: []}}]], 'Inkling commit')
  var params = g:Sent('assistant/command')[0].params
  assert_equal(['commit', "one\ntwo"], [params.id, params.text])
  g:Keys("\<CR>")
  assert_equal(['one', 'two', '', 'Fix it'], g:Text())
enddef

def g:Test_next_alternative_and_its_diff()
  Run('assistant/rephrase', [[{result: {text: 'one TWO', alternatives: ['one TWO', '1 two'],
    edits: [{start: 4, end: 7, newText: 'TWO'}]}}]], 'Inkling rephrase alternatives=2', ['one two'])
  g:WaitForScreen('(1 of 2)')
  g:Keys('gzd')
  g:WaitForScreen('one twoTWO')
  g:Keys('gzn')
  g:WaitForScreen('(2 of 2)')
  g:Keys('gzd')
  g:WaitForScreen('one1 two')
  g:Keys("\<CR>")
  assert_equal(['1 two'], g:Text())
  g:AssertClean()
enddef

def g:Test_retry_asks_for_another_draft_and_keeps_the_first()
  Run('assistant/rephrase', [g:Answer('first'), g:Answer('second'), [{seconds: 20}]], 'Inkling rephrase')
  g:Keys('gzr')
  g:WaitForScreen('(2 of 2)')
  var options = g:Sent('assistant/rephrase')[1].params.options
  assert_inrange(0.7, 1.3, options.temperature)
  assert_true(options.seed >= 0)
  g:Keys('gzn')
  g:WaitForScreen('(1 of 2)')
  g:Keys('gzr')
  g:WaitForSent('assistant/rephrase', 3)
  g:Keys("\<C-c>")
  g:WaitForScreen('of 2)')
  g:Keys("\<CR>")
  assert_equal(['first'], g:Text())
enddef

def g:Test_instructions_are_edited()
  Run('assistant/rephrase', [g:Answer('first'), g:Answer('second')], 'Inkling rephrase be kind')
  g:Keys("gze and brief\<CR>")
  g:WaitForScreen('(2 of 2)')
  assert_equal('be kind and brief', g:Sent('assistant/rephrase')[1].params.instructions)
enddef

def g:Test_warnings_are_shown()
  Run('assistant/rephrase', [[{result: {text: 'x', warnings: [{code: 'unchanged', message: 'A part stayed.'}]}}]],
    'Inkling rephrase')
  assert_true(g:OnScreen('Note: A part stayed.'))
enddef

def g:Test_a_long_answer_scrolls_in_a_popup()
  var text = join(mapnew(range(60), (_, index) => $'line {index}'), "\n")
  Run('assistant/rephrase', [g:Answer(text)], 'Inkling rephrase')
  assert_equal(1, len(popup_list()))
  assert_true(g:OnScreen('line 0'))
  assert_false(g:OnScreen('line 12'))
  g:Keys('gzjgzj')
  assert_true(g:OnScreen('line 12'))
  g:Keys("\<CR>")
  assert_equal(60, line('$'))
  g:AssertClean()
enddef

def g:Test_menu()
  g:Daemon({'assistant/rephrase': [g:Answer('x')]})
  g:Buffer(['one two'])
  feedkeys('gg0wvegZ', 'xt')
  g:WaitForScreen('Rephrase: Exciting')
  feedkeys("j\<CR>", 'xt')
  g:WaitForAnswer()
  var params = g:Sent('assistant/rephrase')[0].params
  assert_equal(['two', 'exciting'], [params.text, params.tone])
enddef

def g:Test_stop_command()
  g:Daemon({'assistant/rephrase': [[{seconds: 20}]]})
  g:Buffer(['one', '', 'two'])
  Inkling rephrase
  cursor(3, 1)
  Inkling rephrase
  g:WaitForSent('assistant/rephrase', 2)
  InklingStop
  g:WaitForSent('$/cancelRequest')
  assert_equal(3, g:Sent('$/cancelRequest')[0].params.id)
  InklingStop!
  g:WaitForSent('$/cancelRequest', 2)
  g:AssertClean()
enddef

def g:Test_status_and_health()
  var model = {availability: {state: 'unavailable', reason: 'unloaded', message: 'Not loaded.', remedy: 'Later.'},
    model: v:null, activeRequests: 0, queuedRequests: 0}
  g:Daemon({'daemon/status': [[{result: {version: '9', processId: 1, uptimeSeconds: 120, clients: [{name: 'Vim'}],
    memory: {daemonBytes: 19000000, engineBytes: v:null}, model: model}}]], 'model/status': [[{result: model}]]})
  InklingStatus
  g:WaitForScreen('memory: daemon 19 MB, engine none')
  popup_clear()
  InklingDoctor
  g:WaitFor(() => join(g:Text()) =~ 'model: not loaded', 'the model')
  assert_equal([], filter(g:Text(), (_, line) => line =~ '^WRONG'))
  for line in ['ok    reading ahead: on', 'ok    Normal gz: Inkling', 'ok    protocol 1; this plugin knows 1']
    assert_true(index(g:Text(), line) >= 0, line)
  endfor
  InklingDoctor
  g:WaitFor(() => join(g:Text()) =~ 'model: not loaded', 'the model')
  assert_equal(1, len(filter(getbufinfo(), (_, buffer) => buffer.name =~ 'inkling://doctor')))
enddef

def g:Test_health_names_what_is_wrong()
  g:inkling_command = ['/nowhere/inkling', 'connect']
  g:inkling_prewarm = false
  nnoremap gZ ggVG
  InklingDoctor
  for line in ['WRONG the program “/nowhere/inkling”: ', 'ok    Normal gZ: your own mapping',
      'ok    reading ahead: off']
    assert_true(index(g:Text(), line) >= 0, line)
  endfor
  assert_match('WRONG .*does not answer. there is no program', join(g:Text(), "\n"))
enddef

def g:Test_health_names_what_an_older_daemon_lacks_and_a_model_that_is_not_there()
  g:Daemon({'model/status': [[{result: {availability: {state: 'unavailable', reason: 'modelNotFound',
    message: 'There is no model.', remedy: 'Fetch one.'}, model: v:null, activeRequests: 0, queuedRequests: 0}}]]},
    {protocolVersion: 2, methods: ['assistant/rephrase']})
  InklingDoctor
  g:WaitFor(() => join(g:Text()) =~ 'WRONG Fetch one', 'the remedy')
  assert_match('WRONG protocol 2', join(g:Text(), "\n"))
  assert_match('WRONG not in this daemon: assistant/summarize', join(g:Text(), "\n"))
enddef

# The names the plugin uses are those of the protocol.
def g:Test_protocol_names()
  var protocol = join(readfile($TEST_PROTOCOL), "\n")
  var source = ''
  for path in globpath($TEST_PLUGIN, '**/*.vim', true, true)
    source ..= join(readfile(path), "\n")
  endfor
  var methods: list<string> = []
  substitute(source, '''\(\%(assistant\|session\|model\|daemon\|tool\|\$\)/\a\+\)''',
    (found) => string(add(methods, found[1])), 'g')
  assert_inrange(12, 40, len(methods))
  for method in methods
    assert_true(stridx(protocol, $'| [`{method}`]') >= 0, method)
  endfor
  var fields = split('processId clientInfo positionEncodings experimental features tones kinds personalities ' ..
    'partialResultToken workDoneToken offset delta edits newText start end alternatives warnings message rendered ' ..
    'finishReason languageId personality instructions options temperature minP seed topic kind count style format ' ..
    'sessionId contextPolicy transcript keepHistory retry turns availability uptimeSeconds activeRequests ' ..
    'queuedRequests daemonBytes engineBytes percentage output input sessions session persist persisted title ' ..
    'updatedAt turns role text usage completionTokens durationMs timeToFirstTokenMs protocolVersion methods')
  for field in fields
    assert_true(stridx(protocol, $'| `{field}` |') >= 0, field)
  endfor
enddef

def g:Test_help_is_whole()
  var folder = $TEST_FOLDER .. '/doc'
  mkdir(folder)
  var help = readfile($TEST_PLUGIN .. '/doc/inkling.txt')
  writefile(help, folder .. '/inkling.txt')
  execute 'helptags' folder
  var tags = mapnew(readfile(folder .. '/tags'), (_, line) => split(line, "\t")[0])
  assert_equal([], filter(copy(help), (_, line) => strdisplaywidth(line) > 79 && line !~ '^\*'))
  for command in getcompletion('Inkling', 'command')
    assert_true(index(tags, ':' .. command) >= 0, command)
  endfor
  var source = ''
  for path in globpath($TEST_PLUGIN, '**/*.vim', true, true)
    source ..= join(readfile(path), "\n")
  endfor
  var names: list<string> = []
  substitute(source, "\\(g:, 'inkling_\\a\\+\\%(_\\a\\+\\)*\\|<Plug>(inkling-\\a\\+\\)",
    (found) => string(add(names, substitute(found[1], "g:, '", 'g:', ''))), 'g')
  assert_inrange(15, 60, len(names))
  for name in names + values(inkling#keys#Keys()) + keys(inkling#keys#Keys())
    assert_true(stridx(join(help, "\n"), substitute(name, '<C-c>', 'CTRL-C', '')) >= 0, name)
  endfor
enddef
