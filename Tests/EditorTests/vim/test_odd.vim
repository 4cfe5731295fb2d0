vim9script
# Unusual settings, and unusual ways to get at the plugin.

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

def g:Test_odd_settings_change_nothing()
  set ignorecase smartcase nomagic gdefault cpoptions&vi virtualedit=all nostartofline
  set whichwrap=b,s,<,>,[,],h,l selectmode=mouse,key keymodel=startsel foldmethod=indent foldlevel=0
  set textwidth=10 formatoptions+=a autoindent cindent expandtab list nowrap smartindent linebreak matchpairs=
  var lines = ["\tOne one ONE", 'two~', '', 'end']
  Start(lines, "\tOnce one Önce\nTWO~")
  g:Keys('gg$')
  Accept(["\tOnce one Önce", 'TWO~', '', 'end'], lines)
enddef

def g:Test_compatible_mode()
  set compatible
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  g:Buffer(['one', 'two'])
  # 'compatible' has maps wait for the timeout of keys, too.
  g:Keys('gzz')
  g:WaitForAnswer()
  Accept(['NEW', 'two'], ['one', 'two'])
enddef

def g:Test_virtual_edit_beyond_the_end_of_a_line()
  set virtualedit=all
  g:Daemon({'assistant/rephrase': [g:Answer('X')]})
  g:Buffer(['ab', 'cdef'])
  g:Keys('gg8lvjgz')
  g:WaitForAnswer()
  assert_equal("\ncdef", g:Sent('assistant/rephrase')[0].params.text)
  g:Keys("\<C-c>")
  g:Keys('gg0v9lgz')
  g:WaitForAnswer()
  assert_equal('ab', g:Sent('assistant/rephrase')[1].params.text)
  g:Keys("\<CR>")
  assert_equal(['X', 'cdef'], g:Text())
enddef

def g:Test_several_windows_and_tabs_show_it()
  Start(['one', 'two'])
  split
  tab split
  g:WaitForScreen('accept')
  tabnew
  assert_false(g:OnScreen('NEW'))
  tabclose
  Accept(['NEW'], ['one', 'two'])
  assert_equal(2, tabpagenr('$'))
enddef

def g:Test_errors_of_autocommands_do_no_harm()
  augroup hostile
    autocmd TextChanged,BufEnter,BufWinEnter,WinEnter,FileType,ModeChanged,BufNew,WinNew * throw 'mine'
  augroup END
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')], 'assistant/summarize': [g:Answer('sum')]})
  setline(1, ['one', 'two'])
  Inkling rephrase
  g:WaitForAnswer()
  g:Keys("\<CR>")
  assert_equal(['NEW'], g:Text())
  g:AssertClean()
  Inkling summarize placement=new
  g:WaitForAnswer()
  var before = bufnr()
  try
    g:Keys("\<CR>")
  catch /mine/
  endtry
  autocmd! hostile
  messages clear
  assert_equal('', inkling#Status())
enddef

def g:Test_changes_of_autocommands_are_respected()
  autocmd TextChanged <buffer> setline(1, toupper(getline(1)))
  Start(['one', 'two'])
  g:Keys("\<CR>")
  assert_equal(['NEW'], g:Text())
  g:AssertClean()
enddef

def g:Test_macros_record_and_play()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  g:Buffer(['one', '', 'two', '', 'three'])
  feedkeys('ggqagzzq', 'xt')
  g:WaitForAnswer()
  assert_equal('gzz', getreg('a'))
  g:Keys("\<CR>")
  g:Keys('3G@a')
  g:WaitFor(() => inkling#Status() =~ 'to decide', 'the second answer')
  g:Keys("\<CR>")
  assert_equal(['NEW', '', 'NEW', '', 'three'], g:Text())
enddef

def g:Test_global_asks_for_each_line()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  g:Buffer(['* one', 'two', '* three', 'four'])
  g/^\*/:.Inkling! rephrase
  g:WaitFor(() => g:Text() ==# ['NEW', 'two', 'NEW', 'four'], 'two answers')
  assert_equal(['* one', '* three'], sort(mapnew(g:Sent('assistant/rephrase'), (_, message) => message.params.text)))
  g:AssertClean()
enddef

def g:Test_argdo_and_bufdo()
  set hidden
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  var paths = mapnew(['a', 'b'], (_, name) => $TEST_FOLDER .. '/' .. name)
  mapnew(paths, (index, path) => writefile([$'text {index}'], path))
  execute 'args' join(paths)
  argdo :%Inkling! rephrase
  g:WaitFor(() => getbufline(paths[0], 1) + getbufline(paths[1], 1) ==# ['NEW', 'NEW'], 'both answers')
enddef

def g:Test_the_command_line_window()
  g:Daemon({'assistant/rephrase': [g:Answer('NEW')]})
  g:Buffer(['one'])
  var buffer = bufnr()
  Inkling rephrase
  g:WaitForAnswer()
  histadd('cmd', 'echo 1')
  # In it an answer comes, a request is made, and <CR> runs a line, as it does without the plugin.
  feedkeys("q:k:Inkling rephrase\<CR>:call g:WaitForSent('assistant/rephrase', 2)\<CR>:quit\<CR>", 'xt')
  g:WaitFor(() => getcmdwintype() ==# '', 'the end of the window')
  assert_equal(buffer, bufnr())
  InklingStop!
  g:AssertClean()
enddef

def g:Test_a_popup_menu_of_the_person_stays()
  g:Daemon({'assistant/rephrase': [[{text: 'begun'}, {until: 'assistant/prewarm'},
    {result: {text: repeat("long\n", 40)}}]]})
  g:Buffer(['one'])
  Inkling rephrase
  g:WaitForScreen('begun')
  var chosen = {}
  popup_menu(['first', 'second'], {callback: (_, number) => {
    chosen.number = number
  }})
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => inkling#Status() =~ 'to decide', 'the answer')
  g:Keys("j\<CR>")
  assert_equal(2, chosen.number)
  g:Keys("\<C-c>")
  g:AssertClean()
enddef

def g:Test_insert_completion_goes_on_while_an_answer_comes()
  g:Daemon({'assistant/rephrase': [[{until: 'assistant/prewarm'}, {result: {text: 'NEW'}}]]})
  g:Buffer(['one', '', 'word wording'])
  Inkling rephrase
  g:Typed = () => {
    call('inkling#connection#Notify', ['assistant/prewarm', {}])
    g:WaitForScreen('accept')
    return pumvisible()
  }
  inoremap <F3> <Cmd>let g:visible = g:Typed()<CR>
  g:Keys("Gowo\<C-n>\<F3>\<C-n>\<C-y>\<Esc>")
  assert_equal('wording', getline('.'))
enddef

def g:Test_global_functions_of_the_same_names_do_no_harm()
  for name in ['Close', 'Draw', 'Send', 'Accept', 'Place', 'Keys', 'Show', 'Now', 'Changed', 'Mark', 'Edits', 'Title']
    if !exists('*g:' .. name)
      execute $"def g:{name}(...list: list<any>)\nthrow 'mine'\nenddef"
    endif
  endfor
  Start(['one two'], 'ONE two')
  g:Keys('gzd')
  g:Keys('gzh')
  assert_equal(['ONE two'], g:Text())
enddef

def g:Test_dot_repeats_what_was_done_before_the_preview()
  Start(['one', '', 'abc'], 'NEW')
  # In one go: what is repeated is forgotten at the end of a function.
  g:Keys("3Gxgg\<CR>3G.")
  assert_equal(['NEW', '', 'c'], g:Text())
enddef

def g:Test_the_cursor_comes_back_with_undo()
  g:Daemon({'assistant/rephrase': [g:Answer("one\ntwo\nTHREE")]})
  g:Buffer(['zero', 'one', 'two', 'three', 'end'])
  g:Keys('2GlV2jgz')
  g:WaitForAnswer()
  var place = getcurpos()[1 : 2]
  g:Keys("\<CR>")
  undo
  assert_equal(place, getcurpos()[1 : 2])
enddef

# The person's own completion, which waits, as one that asks a language server does.
def g:Complete(findstart: any, base: any): any
  if findstart == 1
    return 0
  endif
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitFor(() => inkling#Status() =~ 'to decide', 'the answer')
  assert_equal('one', getline(1))
  return ['completed']
enddef

def g:Test_an_answer_at_once_waits_while_no_text_may_change()
  g:Daemon({'assistant/rephrase': [[{until: 'assistant/prewarm'}, {result: {text: 'NEW'}}]]})
  g:Buffer(['one', '', 'two'])
  cursor(1, 1)
  Inkling! rephrase
  set completefunc=g:Complete
  g:Keys("Go\<C-x>\<C-u>\<C-y>\<Esc>")
  g:WaitFor(() => g:Text() ==# ['NEW', '', 'two', 'completed'], 'the answer after the completion')
  g:AssertClean()
enddef
