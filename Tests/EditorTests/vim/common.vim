vim9script
# What all tests use: a scripted daemon, waits with a deadline, and the result.

runtime plugin/inkling.vim

var folder = $TEST_FOLDER

# Runs the test that is named, and writes what went wrong.
def g:RunTest()
  # Before the first redraw Vim knows no highlight for selections, warns of that, and waits for three seconds.
  redraw
  try
    call('g:Test_' .. g:test_name, [])
  catch
    add(v:errors, $'{v:throwpoint}: {v:exception}')
  endtry
  # What goes wrong in a callback is thrown nowhere.
  add(v:errors, matchstr(execute('messages'), 'Error detected\_.*'))
  filter(v:errors, (_, error) => error !=# '')
  writefile(empty(v:errors) ? ['passed'] : v:errors, folder .. '/result')
  qall!
enddef

# A daemon that does what `methods` say; see scripted_daemon.py.
def g:Daemon(methods: dict<any>, capabilities: dict<any> = {})
  writefile([json_encode({methods: methods, capabilities: capabilities})], folder .. '/script.json')
  g:inkling_command = [$TEST_PYTHON, $TEST_DAEMON, folder .. '/script.json', folder .. '/log.jsonl']
enddef

def g:Log(): list<dict<any>>
  var path = folder .. '/log.jsonl'
  return filereadable(path) ? mapnew(readfile(path), (_, line) => json_decode(line)) : []
enddef

# The messages of a method that the plugin has sent.
def g:Sent(method: string): list<dict<any>>
  var entries = filter(g:Log(), (_, entry) => get(get(entry, 'in', {}), 'method', '') ==# method)
  return mapnew(entries, (_, entry) => entry.in)
enddef

def g:WaitFor(Condition: func(): bool, what: string)
  var began = reltime()
  while !Condition()
    if reltimefloat(reltime(began)) > 8
      redraw
      throw $'waited for {what}; the screen:' .. "\n" .. join(g:Screen(), "\n") .. "\n" .. execute('messages')
    endif
    sleep 5m
  endwhile
enddef

def g:WaitForSent(method: string, count = 1)
  g:WaitFor(() => len(g:Sent(method)) >= count, $'{count} of {method}')
enddef

def g:Screen(): list<string>
  redraw
  return mapnew(range(1, &lines), (_, row) =>
    trim(join(mapnew(range(1, &columns), (_, column) => screenstring(row, column)), ''), ' ', 2))
enddef

def g:OnScreen(text: string): bool
  return stridx(join(g:Screen(), "\n"), text) >= 0
enddef

def g:WaitForScreen(text: string)
  g:WaitFor(() => g:OnScreen(text), $'“{text}” on the screen')
enddef

# The line of hints says when an answer is there.
def g:WaitForAnswer()
  g:WaitForScreen('reject')
enddef

# A legacy function, for what is typed on a command line while Vim9 script runs is taken for Vim9 script.
function g:Keys(keys)
  call feedkeys(a:keys, 'xt')
endfunction

def g:Buffer(lines: list<string>)
  enew!
  setlocal bufhidden=hide
  setline(1, lines)
  # What was typed so far is one step of undo, the test's own next.
  &l:undolevels = &l:undolevels
  setlocal undolevels<
enddef

def g:Text(): list<string>
  return getline(1, '$')
enddef

# A play that answers with a text and no edits, streamed in one piece.
def g:Answer(text: string, more: dict<any> = {}): list<dict<any>>
  return [{text: text}, {result: extendnew({text: text}, more)}]
enddef

# Nothing of a preview is left: no property that has a type, no mapping of the buffer, no popup.
def g:AssertClean()
  for property in prop_list(1, {end_lnum: -1})
    assert_equal('', get(property, 'type', ''), 'a property is left')
  endfor
  redraw
  assert_equal({}, maparg('<CR>', 'n', false, true), 'a mapping is left')
  assert_equal([], popup_list(), 'a popup is left')
  assert_equal('', inkling#Status())
enddef
