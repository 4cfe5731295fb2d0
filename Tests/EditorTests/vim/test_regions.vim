vim9script
# Where answers go when other things happen meanwhile, and what stays as it was.

def Start(answer: list<dict<any>>, lines: list<string>, keys: string)
  g:Daemon({'assistant/rephrase': [answer]})
  g:Buffer(lines)
  g:Keys(keys)
  g:WaitForAnswer()
enddef

def g:Test_the_region_is_followed()
  Start(g:Answer('NEW'), ['one', 'say some words', 'end'], '2Gwvegz')
  g:Keys("ggOabove\<Esc>")
  g:Keys("3GIbefore \<Esc>A after\<Esc>")
  g:Keys("gg\<CR>")
  assert_equal(['above', 'one', 'before say NEW words after', 'end'], g:Text())
  g:AssertClean()
  undo
  assert_equal(['above', 'one', 'before say some words after', 'end'], g:Text())
  g:AssertClean()
enddef

def g:Test_a_deleted_text_is_refused()
  Start(g:Answer('NEW'), ['one', 'two', 'three'], '2Ggzz')
  g:Keys('2Gdd')
  g:Keys("gg\<CR>")
  assert_match('the text has gone', execute('messages'))
  assert_equal(['one', 'three'], g:Text())
  g:Keys('gzy')
  assert_equal('NEW', getreg('"'))
  popup_clear()
  g:Keys("\<C-c>")
  undo
  assert_equal(['one', 'two', 'three'], g:Text())
  g:AssertClean()
enddef

def g:Test_edits_before_a_rejection_bring_no_highlight_back()
  Start(g:Answer('NEW'), ['one two', 'three'], 'gggzz')
  g:Keys("GAx\<Esc>ggAy\<Esc>")
  g:Keys("\<C-c>")
  undo
  undo
  assert_equal(['one two', 'three'], g:Text())
  g:AssertClean()
  assert_equal(screenattr(2, 1), screenattr(1, 1), 'the source has no highlight')
enddef

def g:Test_the_answer_goes_to_its_buffer()
  g:Daemon({'assistant/rephrase': [[{text: 'begun'}, {until: 'assistant/prewarm'}, {result: {text: 'NEW'}}]]})
  g:Buffer(['one', 'two'])
  var buffer = bufnr()
  g:Keys('gg')
  Inkling! rephrase
  g:WaitForScreen('begun')
  g:Buffer(['other', 'text'])
  g:Keys('Gix')
  var place = getcurpos()
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => getbufline(buffer, 1, '$') ==# ['NEW'], 'the answer in the other buffer')
  assert_equal(['other', 'xtext'], g:Text())
  assert_equal(place, getcurpos())
  execute 'buffer' buffer
  g:AssertClean()
  undo
  assert_equal(['one', 'two'], g:Text())
enddef

def g:Test_window_and_cursor_stay_while_text_arrives()
  g:Daemon({'assistant/rephrase': [[{text: 'begun'}, {text: "\nmore\nlines", offset: 5},
    {until: 'assistant/prewarm'}, {result: {text: 'a much longer text', edits: [
      {start: 0, end: 3, newText: 'a much longer'}, {start: 4, end: 7, newText: 'text'}]}}]]})
  g:Buffer(['one two and', 'the rest'])
  split
  var window = win_getid()
  g:Keys('gg0vwegz')
  cursor(1, 9)
  g:WaitForScreen('lines')
  assert_equal([window, 1, 9], [win_getid(), line('.'), col('.')])
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['a much longer text and', 'the rest'], g:Text())
  # The cursor stands on the same letter.
  assert_equal([window, 1, 20], [win_getid(), line('.'), col('.')])
enddef

def g:Test_marks_stay()
  g:Daemon({'assistant/rephrase': [[{result: {text: "ONE\ntwo\nTHREE", edits: [{start: 0, end: 3, newText: 'ONE'},
    {start: 8, end: 13, newText: 'THREE'}]}}]]})
  g:Buffer(['one', 'two', 'three', 'four'])
  g:Keys('2Gmbj$mcjmdgg')
  execute ':1,3Inkling rephrase'
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['ONE', 'two', 'THREE', 'four'], g:Text())
  assert_equal([[2, 1], [3, 5], [4, 4]], mapnew(["'b", "'c", "'d"], (_, mark) => [line(mark), col(mark)]))
enddef

def g:Test_typing_before_and_after_is_undone_by_itself()
  g:Daemon({'assistant/rephrase': [[{until: 'assistant/prewarm'}, {result: {text: 'NEW'}}]]})
  g:Buffer(['one', '', 'two'])
  Inkling! rephrase
  # One insertion, during which the answer comes.
  g:Typed = () => {
    call('inkling#connection#Notify', ['assistant/prewarm', {}])
    g:WaitFor(() => getline(1) ==# 'NEW', 'the answer')
    return 0
  }
  inoremap <F3> <Cmd>call g:Typed()<CR>
  g:Keys("Gobefore\<F3>after\<Esc>")
  assert_equal(['NEW', '', 'two', 'beforeafter'], g:Text())
  undo
  assert_equal(['NEW', '', 'two', 'before'], g:Text())
  undo
  assert_equal(['one', '', 'two', 'before'], g:Text())
  undo
  assert_equal(['one', '', 'two'], g:Text())
enddef

def g:Test_dos_files_without_an_end_of_line_keep_their_bytes()
  var path = $TEST_FOLDER .. '/dos.txt'
  writefile(0z6F6E650D0A74776F0D0A7468726565, path)
  g:Daemon({'assistant/rephrase': [g:Answer("1\n2")]})
  execute 'edit ++ff=dos' path
  set nofixeol
  assert_equal(['dos', false], [&fileformat, &endofline])
  g:Keys('2GVjgz')
  g:WaitForAnswer()
  assert_equal("two\nthree", g:Sent('assistant/rephrase')[0].params.text)
  g:Keys("\<CR>")
  write
  assert_equal(0z6F6E650D0A310D0A32, readblob(path))
  undo
  write
  assert_equal(0z6F6E650D0A74776F0D0A7468726565, readblob(path))
enddef

def g:Test_carriage_returns_of_a_unix_file_stay()
  Start(g:Answer("ONE\r\nTWO\r"), ["one\r", "two\r", 'three'], 'ggVjgz')
  assert_equal("one\r\ntwo\r", g:Sent('assistant/rephrase')[0].params.text)
  g:Keys("\<CR>")
  assert_equal(["ONE\r", "TWO\r", 'three'], g:Text())
enddef

def g:Test_closing_a_buffer_cancels_its_requests()
  g:Daemon({'assistant/rephrase': [[{text: 'begun'}, {seconds: 20}]]})
  g:Buffer(['kept'])
  Inkling rephrase
  g:WaitForSent('assistant/rephrase')
  g:Buffer(['closed'])
  var buffer = bufnr()
  Inkling rephrase
  g:WaitForSent('assistant/rephrase', 2)
  execute 'bwipeout!' buffer
  g:WaitForSent('$/cancelRequest')
  assert_equal(3, g:Sent('$/cancelRequest')[0].params.id)
  g:WaitFor(() => inkling#Status() ==# 'Inkling: writing', 'the other one to go on')
enddef

def g:Test_own_mappings_come_back()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  g:Buffer(['one'])
  nnoremap <buffer> <CR> itaken<Esc>
  g:Keys('gzz')
  g:WaitForAnswer()
  g:Keys("\<C-c>")
  g:Keys("\<CR>")
  assert_equal(['takenone'], g:Text())
  assert_equal('', maparg('gzn', 'n'))
enddef

def g:Test_keys_that_change_meanwhile_are_removed()
  Start(g:Answer('NEW'), ['one'], 'gggzz')
  g:inkling_preview_keys = {accept: 'ga', hunk: ''}
  g:Keys("\<C-c>")
  g:AssertClean()
  assert_equal('', maparg('gzh', 'n'))
  g:Keys('gzz')
  g:WaitForAnswer()
  assert_equal(['', ''], [maparg('gzh', 'n'), maparg('<CR>', 'n')])
  g:Keys('ga')
  assert_equal(['NEW'], g:Text())
enddef

def g:Test_keys_are_removed_from_a_buffer_that_is_hidden()
  g:Daemon({'assistant/rephrase': [[{text: 'begun'}, {until: 'assistant/prewarm'}, {error: {code: 1, message: 'no'}}]]})
  g:Buffer(['one'])
  var buffer = bufnr()
  Inkling rephrase
  g:WaitForScreen('begun')
  g:Buffer(['two'])
  assert_equal('', maparg('gzn', 'n'))
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => execute('messages') =~ 'Inkling: no', 'the error')
  execute 'buffer' buffer
  popup_clear()
  g:AssertClean()
enddef

def g:Test_a_narrower_window_wraps_the_answer_again()
  Start(g:Answer(repeat('word ', 12) .. 'LAST'), ['one'], 'gzz')
  assert_true(g:OnScreen('LAST'))
  # The second window shows the same buffer, and the current one counts.
  vertical split
  vertical resize 30
  # WinResized comes when Vim waits for a key the next time.
  doautocmd <nomodeline> inkling WinResized
  g:WaitForScreen('LAST')
  close
  g:Keys("\<CR>")
  assert_equal([repeat('word ', 12) .. 'LAST'], g:Text())
  g:AssertClean()
enddef

def g:Test_chat_alone_ends_with_its_buffer()
  g:Daemon({'session/create': [[{result: {session: {sessionId: 's1'}}}]], 'assistant/chat': [[{text: 'begun'},
    {seconds: 20}]]})
  InklingChat
  stopinsert
  g:Keys("GAa\<CR>")
  g:WaitForScreen('begun')
  bwipeout!
  g:WaitForSent('$/cancelRequest')
enddef
