vim9script
# Single changes of an answer, and answers for a text that was edited meanwhile.

const SOURCE = ['say', 'one two three four five', 'end']
const ANSWER = {result: {text: 'ONE two 3, four FIVE!', edits: [{start: 0, end: 3, newText: 'ONE'},
  {start: 8, end: 13, newText: '3,'}, {start: 19, end: 23, newText: 'FIVE!'}]}}

def Start(plays: list<any> = [[ANSWER]], lines = SOURCE, keys = '2Ggzz')
  g:Daemon({'assistant/rephrase': plays})
  g:Buffer(lines)
  g:Keys(keys)
  g:WaitForAnswer()
enddef

# What Vim says after `u` when it waits for the next key, which it does not in a test.
def Undo(command = 'undo')
  execute command
  doautocmd <nomodeline> inkling TextChanged
enddef

def g:Test_hunks_one_by_one_each_its_own_undo()
  Start()
  g:Keys('2Gfr')
  g:Keys('gzh')
  assert_equal(['say', 'one two 3, four five', 'end'], g:Text())
  assert_true(g:OnScreen('ONE two 3, four FIVE!'), 'the answer stays to be decided on')
  g:Keys('$gzh')
  assert_equal('one two 3, four FIVE!', getline(2))
  Undo()
  assert_equal('one two 3, four five', getline(2))
  assert_true(g:OnScreen('ONE two 3, four FIVE!'), 'and after an undo')
  g:Keys("\<C-c>")
  assert_equal(['say', 'one two 3, four five', 'end'], g:Text(), 'what is rejected are the others')
  g:AssertClean()
  undo
  assert_equal(SOURCE, g:Text())
  g:AssertClean()
enddef

def g:Test_hunks_are_followed_by_the_rest()
  Start()
  g:Keys("2G0gzhggOabove\<Esc>")
  g:Keys("3G\<CR>")
  assert_equal(['above', 'say', 'ONE two 3, four FIVE!', 'end'], g:Text())
  g:AssertClean()
  undo
  assert_equal(['above', 'say', 'ONE two three four five', 'end'], g:Text())
enddef

def g:Test_the_last_hunk_ends_the_preview()
  Start()
  g:Keys('2G0gzh$gzhgzh')
  assert_equal(['say', 'ONE two 3, four FIVE!', 'end'], g:Text())
  popup_clear()
  g:AssertClean()
  for expected in ['ONE two three four FIVE!', 'ONE two three four five', 'one two three four five']
    undo
    assert_equal(expected, getline(2))
  endfor
enddef

def g:Test_a_hunk_taken_back_can_be_taken_again()
  Start()
  g:Keys('2G0gzh')
  Undo()
  g:Keys('2G0gzh')
  assert_equal('ONE two three four five', getline(2))
  Undo()
  Undo('redo')
  g:Keys("\<CR>")
  assert_equal('ONE two 3, four FIVE!', getline(2))
  g:AssertClean()
enddef

def g:Test_hunks_over_lines_and_after_emoji()
  # 👍 is four bytes, é two; the second change joins two lines, the third makes two of one.
  Start([[{result: {text: "👍 ONE é two and\nfour\nfive", edits: [{start: 5, end: 8, newText: 'ONE'},
    {start: 15, end: 21, newText: ' and'}, {start: 26, end: 27, newText: "\n"}]}}]],
    ['x', '👍 one é two', 'three', 'four five', 'end'], '2GV2jgz')
  g:Keys('4G$gzh')
  assert_equal(['x', '👍 one é two', 'three', 'four', 'five', 'end'], g:Text())
  g:Keys('3Ggzh')
  assert_equal(['x', '👍 one é two and', 'four', 'five', 'end'], g:Text())
  g:Keys("\<CR>")
  assert_equal(['x', '👍 ONE é two and', 'four', 'five', 'end'], g:Text())
  g:AssertClean()
enddef

def g:Test_lines_go_and_come_with_properties_of_others_in_them()
  prop_type_add('mine', {highlight: 'InklingHint'})
  Start([[{result: {text: "A b\nC\nD\nE\nF\ng", edits: [{start: 0, end: 1, newText: 'A'},
    {start: 1, end: 2, newText: ' '}, {start: 4, end: 5, newText: 'C'}, {start: 6, end: 7, newText: "D\nE\nF"}]}}]],
    ['a', 'b', 'c', 'd', 'g'], 'ggVGgz')
  prop_add(1, 1, {type: 'mine', end_lnum: 5, end_col: 2})
  g:Keys('4Ggzh')
  assert_equal(['a', 'b', 'c', 'D', 'E', 'F', 'g'], g:Text())
  g:Keys("gg\<CR>")
  assert_equal(['A b', 'C', 'D', 'E', 'F', 'g'], g:Text())
  prop_type_delete('mine')
  g:AssertClean()
  undo
  undo
  assert_equal(['a', 'b', 'c', 'd', 'g'], g:Text())
enddef

def g:Test_hunks_of_the_diff_are_marked_in_the_text()
  Start()
  g:Keys('2G0gzd')
  g:WaitForScreen('oneONE two three3, four')
  assert_notequal(screenattr(2, 1), screenattr(2, 5), 'what goes is marked in the text')
  g:Keys('gzh')
  g:WaitForScreen('ONE two three3, four')
  assert_equal('ONE two three four five', getline(2))
  g:Keys("\<C-c>")
  g:AssertClean()
enddef

def g:Test_changes_side_by_side_are_one_hunk()
  # By words, `gonna` becomes `I`, and `will` comes in before `be`.
  Start([g:Answer('I will be late, could you please start')], ['gonna be late, can u start'], 'gggzz')
  g:Keys('gzh')
  assert_equal(['I will be late, can u start'], g:Text())
  g:Keys('$gzh')
  assert_equal(['I will be late, could you please start'], g:Text())
enddef

def g:Test_hunks_of_an_alternative()
  Start([[{result: {text: 'ONE two', alternatives: ['ONE two', 'one TWO 2']}}]], ['one two'], 'gggzz')
  g:Keys('gzn')
  g:Keys('$gzh')
  assert_equal(['one TWO 2'], g:Text())
enddef

def g:Test_a_hunk_of_a_summary_is_refused()
  g:Daemon({'assistant/summarize': [g:Answer('sum')]})
  g:Buffer(['one two'])
  Inkling summarize
  g:WaitForAnswer()
  g:Keys('gzh')
  assert_match('replaces nothing', execute('messages'))
  assert_equal(['one two'], g:Text())
enddef

def Edited(choice: string, more: list<any> = [])
  Start([[ANSWER]] + more)
  g:Keys('2G2wrT')
  g:Keys("\<CR>")
  g:WaitForScreen('the text was changed meanwhile')
  assert_equal('one two Three four five', getline(2))
  g:Keys(choice)
enddef

def g:Test_an_edited_text_is_kept_by_default()
  for key in ["\<CR>", "\<Esc>"]
    Edited(key)
    assert_equal('one two Three four five', getline(2))
    assert_true(g:OnScreen('accept'), 'the answer is still there')
    g:Keys('gzy')
    assert_equal('ONE two 3, four FIVE!', getreg('"'))
    popup_clear()
    g:Keys("\<C-c>")
    g:AssertClean()
    undo
    g:AssertClean()
  endfor
enddef

def g:Test_an_edited_text_is_replaced_when_wanted()
  Edited("jj\<CR>")
  assert_equal(['say', 'ONE two 3, four FIVE!', 'end'], g:Text())
  g:AssertClean()
  undo
  assert_equal('one two Three four five', getline(2))
enddef

def g:Test_an_edited_text_is_asked_for_again_when_wanted()
  Edited("j\<CR>", [g:Answer('AGAIN')])
  g:WaitForScreen('(2 of 2)')
  assert_equal('one two Three four five', g:Sent('assistant/rephrase')[1].params.text)
  g:Keys("\<CR>")
  assert_equal(['say', 'AGAIN', 'end'], g:Text())
enddef

def g:Test_an_edited_text_with_more_lines_is_replaced_whole()
  Start([g:Answer("A\nB")], ['say', 'one', 'two', 'end'], '2GVjgz')
  g:Keys("2Gonew\<Esc>")
  g:Keys("\<CR>")
  g:WaitForScreen('changed meanwhile')
  g:Keys("jj\<CR>")
  assert_equal(['say', 'A', 'B', 'end'], g:Text())
  undo
  assert_equal(['say', 'one', 'new', 'two', 'end'], g:Text())
enddef

def g:Test_an_answer_at_once_asks_nothing()
  g:Daemon({'assistant/rephrase': [[{until: 'assistant/prewarm'}, ANSWER]]})
  g:Buffer(SOURCE)
  cursor(2, 1)
  :2Inkling! rephrase
  g:WaitForSent('assistant/rephrase')
  g:Keys('2Grx')
  call('inkling#connection#Notify', ['assistant/prewarm', {}])
  g:WaitForScreen('accept')
  assert_match('changed meanwhile', execute('messages'))
  assert_equal('xne two three four five', getline(2))
enddef

def g:Test_an_answer_beside_another_is_followed()
  g:Daemon({'assistant/rephrase': [g:Answer('NEARLY ONE'), g:Answer("FOUR\nLINES")]})
  g:Buffer(['one two three four'])
  g:Keys('gg0vegz')
  g:WaitFor(() => inkling#Status() =~ '1 to decide', 'the first answer')
  g:Keys('gg$vbgz')
  g:WaitFor(() => inkling#Status() =~ '2 to decide', 'the second answer')
  # Both are as near as can be: the later is meant.
  g:Keys("gg0\<CR>")
  assert_equal(['one two three FOUR', 'LINES'], g:Text())
  assert_true(g:OnScreen('NEARLY ONE'))
  Undo()
  assert_equal(['one two three four'], g:Text())
  Undo('redo')
  assert_true(g:OnScreen('NEARLY ONE'))
  g:Keys("gg\<CR>")
  assert_equal(['NEARLY ONE two three FOUR', 'LINES'], g:Text())
  g:AssertClean()
enddef

def g:Test_answers_for_the_same_text_ask_after_the_first()
  g:Daemon({'assistant/rephrase': [g:Answer('ONE two three FOUR'), g:Answer('one 2 three 4')]})
  g:Buffer(['one two three four'])
  Inkling rephrase
  Inkling rephrase
  g:WaitFor(() => inkling#Status() =~ '2 to decide', 'both answers')
  g:Keys("gg0\<CR>")
  assert_equal(['one 2 three 4'], g:Text())
  g:Keys("\<CR>")
  g:WaitForScreen('changed meanwhile')
  g:Keys("jj\<CR>")
  assert_equal(['ONE two three FOUR'], g:Text())
  g:AssertClean()
enddef
