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

def g:Test_real_rephrase_is_accepted_and_undone()
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
enddef

def g:Test_real_summary_and_chat()
  Start(['The ferry left at nine. It was full, and the sea was rough. Nobody complained, though.'])
  Inkling summarize bullets 2
  WaitLong(() => inkling#Status() =~ 'to decide', 'a summary')
  g:Keys("\<CR>")
  assert_match('^- .*\n- ', join(getline(3, 4), "\n"))
  InklingChat
  stopinsert
  g:Keys("GAWho could live in a lighthouse?\<CR>")
  WaitLong(() => line('$') >= 4 && !inkling#chat#Writing(), 'an answer')
  assert_match('\S', getline(2))
enddef

def g:Test_real_prewarm_and_cancel()
  Start([repeat('The ferry left at nine, and the sea was rough. ', 20)])
  Inkling rephrase
  g:Keys("\<C-c>")
  Inkling rephrase longer
  WaitLong(() => inkling#Status() =~ 'writing', 'the first words')
  g:Keys("\<C-c>")
  g:AssertClean()
  InklingStatus
  g:WaitForScreen('clients: Vim')
enddef
