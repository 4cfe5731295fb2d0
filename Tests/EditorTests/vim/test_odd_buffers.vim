vim9script
# Unusual buffers and files.

def Start(lines: list<string>, answer = 'NEW', command = 'Inkling rephrase')
  g:Daemon({'assistant/rephrase': [g:Answer(answer)]})
  g:Buffer(lines)
  execute command
  g:WaitForAnswer()
enddef

# Presses <CR>, expects a text, undoes, expects the text of before.
def Accept(expected: list<string>, before: list<string>)
  g:Keys("\<CR>")
  assert_equal(expected, g:Text())
  g:AssertClean()
  undo
  assert_equal(before, g:Text())
enddef

def g:Test_mac_files()
  var path = $TEST_FOLDER .. '/mac.txt'
  writefile(0z6F6E650D74776F0D, path)
  g:Daemon({'assistant/rephrase': [g:Answer("ONE\n\nTWO")]})
  execute 'edit ++ff=mac' path
  :%Inkling! rephrase
  g:WaitFor(() => line('$') == 3, 'the answer')
  write
  assert_equal(0z4F4E450D0D54574F0D, readblob(path))
  undo
  write
  assert_equal(0z6F6E650D74776F0D, readblob(path))
enddef

def g:Test_binary_files_keep_their_bytes()
  var path = $TEST_FOLDER .. '/binary'
  writefile(0z6F6E650AFF000A656E64, path)
  g:Daemon({'assistant/rephrase': [g:Answer('ONE')]})
  execute 'edit ++bin' path
  :1Inkling! rephrase
  g:WaitFor(() => getline(1) ==# 'ONE', 'the answer')
  write
  assert_equal(0z4F4E450AFF000A656E64, readblob(path))
enddef

def g:Test_latin1_files_are_converted()
  var path = $TEST_FOLDER .. '/latin1.txt'
  writefile(0z6AE10A, path)
  g:Daemon({'assistant/rephrase': [g:Answer('já é')]})
  execute 'edit ++enc=latin1' path
  Inkling rephrase
  g:WaitForAnswer()
  assert_equal('já', g:Sent('assistant/rephrase')[0].params.text)
  g:Keys("\<CR>")
  write
  assert_equal(0z6AE120E90A, readblob(path))
enddef

def g:Test_a_huge_line()
  var word = 'lorem ipsum '
  Start([repeat(word, 10000)], repeat(word, 10000) .. 'END')
  g:Keys("\<CR>")
  assert_equal(120003, len(getline(1)))
  g:AssertClean()
enddef

def g:Test_special_buffers_offer_another_place()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  setqflist([], 'r', {items: [{text: 'an error'}]})
  for command in ['copen', 'help']
    execute command
    var lines = g:Text()
    Inkling rephrase
    assert_match('cannot be changed', execute('messages'))
    popup_clear()
    Inkling rephrase placement=new
    g:WaitForAnswer()
    assert_equal(lines, g:Text())
    g:Keys("\<CR>")
    assert_equal(['NEW'], g:Text())
    bwipeout!
    wincmd p
    messages clear
  endfor
enddef

def g:Test_quickfix_keeps_its_key()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  var path = $TEST_FOLDER .. '/file.txt'
  writefile(['one', 'two'], path)
  setqflist([], 'r', {items: [{filename: path, lnum: 2, text: 'here'}]})
  copen
  Inkling rephrase placement=new
  g:WaitForAnswer()
  g:Keys("\<C-c>")
  g:Keys("\<CR>")
  assert_equal([path, 2], [bufname(), line('.')])
enddef

def g:Test_terminal_buffers()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  terminal echo some words
  g:WaitFor(() => term_getstatus(bufnr()) =~ 'finished', 'the end of the program')
  :1Inkling rephrase
  assert_match('cannot be changed', execute('messages'))
  popup_clear()
  :1Inkling rephrase placement=new
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['NEW'], g:Text())
enddef

def g:Test_a_buffer_that_cannot_be_changed_any_more()
  Start(['one', 'two'])
  setlocal nomodifiable
  g:Keys("\<CR>")
  assert_match('cannot be changed', execute('messages'))
  g:Keys('gzh')
  assert_equal(['one', 'two'], g:Text())
  setlocal modifiable
  popup_clear()
  Accept(['NEW'], ['one', 'two'])
enddef

def g:Test_a_hidden_buffer_takes_an_answer_and_an_unloaded_one_none()
  g:Daemon({'assistant/rephrase': [[{until: 'assistant/prewarm'}, {result: {text: 'NEW'}}]]})
  g:Buffer(['one'])
  var hidden = bufnr()
  Inkling! rephrase
  g:Buffer(['two'])
  var gone = bufnr()
  Inkling! rephrase
  g:WaitForSent('assistant/rephrase', 2)
  enew!
  execute 'bunload!' gone
  g:WaitForSent('$/cancelRequest')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => getbufline(hidden, 1, '$') ==# ['NEW'], 'the answer')
  assert_equal('', inkling#Status())
  assert_equal([''], g:Text())
enddef

def g:Test_undo_after_the_file_was_closed()
  var path = $TEST_FOLDER .. '/kept.txt'
  writefile(['one', 'two'], path)
  execute 'edit' path
  &undodir = $TEST_FOLDER
  set undofile
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  Inkling rephrase
  g:WaitForAnswer()
  g:Keys("\<CR>")
  write
  bwipeout!
  execute 'edit' path
  assert_equal(['NEW'], g:Text())
  undo
  assert_equal(['one', 'two'], g:Text())
  g:AssertClean()
enddef

def g:Test_reloading_a_file_leaves_nothing()
  var path = $TEST_FOLDER .. '/again.txt'
  writefile(['one', 'two'], path)
  execute 'edit' path
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  Inkling rephrase
  g:WaitForAnswer()
  edit!
  g:AssertClean()
  assert_equal('', maparg('gzh', 'n'))
enddef
