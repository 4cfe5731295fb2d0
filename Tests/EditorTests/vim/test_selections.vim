vim9script
# What is sent for which selection, and that the answer goes exactly there.

# Rephrases with the keys, checks what was sent, accepts, and undoes.
def Check(lines: list<string>, keys: string, text: string, answer: string, expected: list<string>)
  g:Daemon({'assistant/rephrase': [g:Answer(answer)]})
  g:Buffer(lines)
  g:Keys(keys)
  g:WaitForAnswer()
  assert_equal(text, g:Sent('assistant/rephrase')[0].params.text)
  assert_equal(lines, g:Text(), 'the buffer is not touched by a preview')
  g:Keys("\<CR>")
  assert_equal(expected, g:Text())
  g:AssertClean()
  undo
  assert_equal(lines, g:Text(), 'one undo takes it back')
  g:AssertClean()
  redo
  assert_equal(expected, g:Text())
enddef

def g:Test_characters()
  Check(['one two three', 'four'], 'ggwvegz', 'two', '2', ['one 2 three', 'four'])
enddef

def g:Test_characters_over_lines()
  Check(['one two', 'three four', 'five'], 'ggwvjhgz', "two\nthre", "A\nB\nC", ['one A', 'B', 'Ce four', 'five'])
enddef

def g:Test_lines()
  Check(['one', 'two', 'three'], 'ggVjgz', "one\ntwo", 'single', ['single', 'three'])
enddef

def g:Test_whole_buffer_without_a_range_of_the_selection()
  Check(['one', '', 'two'], ":%Inkling rephrase formal\<CR>", "one\n\ntwo", "ONE\n\nTWO", ['ONE', '', 'TWO'])
enddef

def g:Test_paragraph_at_the_cursor()
  Check(['one', '', 'two', 'three', '', 'four'], "4G:Inkling rephrase\<CR>", "two\nthree", 'both',
    ['one', '', 'both', '', 'four'])
enddef

def g:Test_typed_range_of_a_selection_is_exact()
  Check(['one two three'], "ggwve:Inkling rephrase\<CR>", 'two', '2', ['one 2 three'])
enddef

def g:Test_text_object()
  Check(['say “some words” now'], 'gg2wgziw', 'some', 'few', ['say “few words” now'])
enddef

def g:Test_first_and_last_character()
  Check(['abc'], 'gg0vgz', 'a', 'A', ['Abc'])
enddef

def g:Test_end_of_buffer()
  Check(['one', 'abc'], 'G$vgz', 'c', 'C', ['one', 'abC'])
enddef

def g:Test_to_the_end_of_the_line()
  Check(['one two', 'next'], 'ggwv$gz', 'two', '2', ['one 2', 'next'])
enddef

def g:Test_exclusive_selection()
  set selection=exclusive
  Check(['one two three'], 'ggwvlllgz', 'two', '2', ['one 2 three'])
enddef

def g:Test_exclusive_selection_as_a_range()
  set selection=exclusive
  Check(['one two three'], "ggwvlll:Inkling rephrase\<CR>", 'two', '2', ['one 2 three'])
enddef

const MARKED = 'e' .. nr2char(0x301) .. 'te' .. nr2char(0x301)

def g:Test_emoji()
  Check(['a 👩🏽 ' .. MARKED .. ' z'], 'ggwvegz', '👩🏽', '🚀', ['a 🚀 ' .. MARKED .. ' z'])
enddef

def g:Test_combining_marks()
  Check(['a 👩🏽 ' .. MARKED .. ' z'], 'gg$gevbgz', MARKED, 'été', ['a 👩🏽 été z'])
enddef

def g:Test_tabs_stay_tabs()
  Check(["\tone\ttwo", "\tthree"], 'ggVjgz', "\tone\ttwo\n\tthree", "\tONE\ttwo\n\tthree", ["\tONE\ttwo", "\tthree"])
enddef

def g:Test_latex_and_fences_and_blank_edges()
  var lines = ['', '```tex', '\section{a} & \\', '```', '']
  Check(lines, "ggVGgz", join(lines, "\n"), "\n```tex\n\\section{b} & \\\\\n```\n",
    ['', '```tex', '\section{b} & \\', '```', ''])
enddef

def g:Test_folded_lines()
  set foldmethod=manual
  g:Daemon({'assistant/rephrase': [g:Answer('UNFOLDED')]})
  g:Buffer(['one', 'two', 'three', 'four'])
  g:Keys('2GVjzfgg')
  execute ":2,3Inkling rephrase"
  g:WaitForAnswer()
  assert_true(g:OnScreen('UNFOLDED'), 'the answer is seen beside a fold')
  g:Keys("\<CR>")
  assert_equal(['one', 'UNFOLDED', 'four'], g:Text())
enddef

def g:Test_block_is_refused_for_replacing_and_taken_for_a_summary()
  g:Daemon({'assistant/summarize': [g:Answer('sum')]})
  g:Buffer(['abcd', 'efgh', '', 'xyz'])
  setreg('"', 'kept')
  g:Keys("gg0l\<C-v>jlgz")
  assert_match('a block cannot be replaced', execute('messages'))
  popup_clear()
  g:Keys("gg0l\<C-v>jl:Inkling summarize\<CR>")
  g:WaitForAnswer()
  assert_equal("bc\nfg", g:Sent('assistant/summarize')[0].params.text)
  g:Keys("\<CR>")
  assert_equal(['abcd', 'efgh', '', 'sum', '', 'xyz'], g:Text())
  assert_equal('kept', getreg('"'))
enddef

def g:Test_read_only_and_blank_and_bytes_are_refused()
  g:Daemon({'assistant/summarize': [g:Answer('sum')]})
  g:Buffer(['text', '', "bad \xff byte"])
  setlocal readonly
  Inkling rephrase
  assert_match('cannot be changed', execute('messages'))
  setlocal noreadonly
  g:Keys('2G')
  Inkling rephrase
  assert_match('there is no text here', execute('messages'))
  g:Keys('3G')
  Inkling rephrase
  assert_match('not UTF-8', execute('messages'))
  setlocal nomodifiable
  g:Keys('gg')
  popup_clear()
  Inkling summarize
  g:WaitForAnswer()
  assert_match('there is no feature', execute('silent! Inkling nonsense') .. execute('messages'))
  assert_equal([], g:Sent('assistant/rephrase'))
enddef

# Without g:Keys(): Vim forgets what dot repeats when a function returns that was called meanwhile.
def g:Test_dot_repeats_the_operator()
  g:Daemon({'assistant/rephrase': [g:Answer('A'), g:Answer('B'), g:Answer('C')]})
  g:Buffer(['one two', 'three four'])
  feedkeys('ggwgziw', 'xt')
  g:WaitForAnswer()
  feedkeys("\<CR>", 'xt')
  assert_equal(['one A', 'three four'], g:Text())
  feedkeys('j0.', 'xt')
  g:WaitForAnswer()
  feedkeys("\<CR>", 'xt')
  assert_equal(['one A', 'B four'], g:Text())
  assert_equal(['two', 'three'], mapnew(g:Sent('assistant/rephrase'), (_, message) => message.params.text))
  # The same for what was selected: as much text from the cursor on.
  feedkeys('j0wvlgz', 'xt')
  g:WaitForAnswer()
  feedkeys("\<CR>gg0.", 'xt')
  g:WaitForAnswer()
  assert_equal('on', g:Sent('assistant/rephrase')[3].params.text)
enddef
