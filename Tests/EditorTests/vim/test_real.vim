vim9script
# With the real program; the default model is a demonstration, so that the texts are looked at only for their form.

def Start(lines: list<string>)
  g:inkling_command = [$INKLING_BINARY, 'connect']
  g:Buffer(lines)
  g:Keys('gg')
enddef

def WaitLong(Condition: func(): bool, what: string)
  var began = reltime()
  while !Condition() && reltimefloat(reltime(began)) < 45
    sleep 5m
  endwhile
  assert_true(Condition(), what .. execute('messages'))
enddef

def g:Test_real_rephrase_is_undone_and_another_cancelled()
  var lines = ['', "  gonna be late tmrw, train's broken again 🚆", '']
  Start(lines)
  g:Keys('2Ggzz')
  WaitLong(() => inkling#Status() =~ 'to decide', 'an answer')
  assert_equal(lines, g:Text())
  g:Keys("\<CR>")
  assert_equal(3, line('$'))
  assert_match('^  \S.*🚆', getline(2))
  # The demonstration model may leave the text as it is.
  if g:Text() !=# lines
    undo
  endif
  assert_equal(lines, g:Text())
  popup_clear()
  g:AssertClean()
  Inkling rephrase longer
  WaitLong(() => inkling#Status() =~? 'writing', 'the first words')
  g:Keys("\<C-c>")
  g:AssertClean()
  InklingStatus
  g:WaitForScreen('clients: Vim')
  popup_clear()
  InklingDoctor
  WaitLong(() => join(g:Text()) =~ 'requests: ', 'the model')
  assert_equal([], filter(g:Text(), (_, line) => line =~ '^WRONG'))
enddef

def g:Test_real_summary_and_chat()
  Start(['The ferry left at nine. It was full, and the sea was rough. Nobody complained, though.'])
  Inkling summarize bullets 2
  WaitLong(() => inkling#Status() =~ 'to decide', 'a summary')
  g:Keys("\<CR>")
  assert_match('^- .*\n- ', join(getline(3, 4), "\n"))
  InklingChat!
  stopinsert
  g:Keys("GASay yes.\<CR>")
  WaitLong(() => line('$') >= 4 && !inkling#chat#Writing(), 'an answer')
  assert_match('\S', getline(2))
  var said = getline(1, line('$') - 1)
  bwipeout!
  InklingSessions
  g:WaitForScreen('Say yes.  (1 turn)')
  g:Keys("\<CR>")
  g:WaitFor(() => bufname() =~ 'inkling://chat/', 'the conversation')
  stopinsert
  assert_equal(said, getline(1, line('$') - 1))
  InklingSessions
  g:WaitForScreen('(1 turn)')
  g:Keys("dj\<CR>")
  g:WaitFor(() => execute('messages') =~ 'was deleted', 'the end of it')
enddef

def g:Test_real_models()
  Start(['text'])
  InklingModel none
  g:WaitFor(() => execute('messages') =~ 'there is no model “none”', 'the error')
enddef
