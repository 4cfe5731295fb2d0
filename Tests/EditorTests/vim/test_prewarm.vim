vim9script
# Reading a selection ahead, and when not to.

def Warm(name: string)
  g:Daemon({'assistant/rephrase': [g:Answer('x')]})
  execute 'edit' $TEST_FOLDER .. '/' .. name
  setline(1, ['one two three', 'four'])
  Inkling rephrase
  g:WaitForAnswer()
  g:Keys("\<C-c>")
  feedkeys('gg0wve', 'xt')
enddef

def g:Test_prewarm_of_a_selection_that_rests()
  Warm('notes.txt')
  g:WaitForSent('assistant/prewarm')
  var message = g:Sent('assistant/prewarm')[0]
  assert_false(has_key(message, 'id'))
  assert_equal(['assistant/rephrase', 'two'], [message.params.method, message.params.params.text])
  assert_equal('formal', message.params.params.tone)
  feedkeys("\<Esc>", 'xt')
  g:WaitForSent('assistant/prewarm', 2)
  assert_equal({}, g:Sent('assistant/prewarm')[1].params)
enddef

def g:Test_prewarm_gives_way_to_the_request()
  Warm('notes.txt')
  g:WaitForSent('assistant/prewarm')
  feedkeys('gz', 'xt')
  g:WaitForAnswer()
  assert_equal('two', g:Sent('assistant/rephrase')[1].params.text)
  # What a plugin sends for its last timer would be there before this.
  var later = false
  timer_start(100, (_) => {
    later = true
  })
  g:WaitFor(() => later, 'a timer')
  InklingStatus
  g:WaitForSent('daemon/status')
  assert_equal(1, len(g:Sent('assistant/prewarm')))
enddef

def Unread(name: string)
  Warm(name)
  Nothing()
enddef

# What is selected now is not read ahead.
def Nothing()
  var later = false
  timer_start(450, (_) => {
    later = true
  })
  g:WaitFor(() => later, 'a timer')
  feedkeys("\<Esc>", 'xt')
  InklingStatus
  g:WaitForSent('daemon/status')
  assert_equal([], g:Sent('assistant/prewarm'))
enddef

def g:Test_prewarm_never_reads_secrets()
  Unread('.env')
enddef

def g:Test_prewarm_is_capped()
  g:inkling_prewarm_characters = 2
  Unread('notes.txt')
enddef

# A folder like /sys/class/power_supply.
def Supplies(supplies: dict<dict<string>>)
  g:inkling_power_supply = $TEST_FOLDER .. '/power'
  for [name, values] in items(supplies)
    mkdir($'{g:inkling_power_supply}/{name}', 'p')
    for [key, value] in items(values)
      writefile([value], $'{g:inkling_power_supply}/{name}/{key}')
    endfor
  endfor
enddef

const BATTERY = {type: 'Battery', status: 'Discharging'}

def g:Test_prewarm_is_off_on_battery()
  Supplies({AC: {type: 'Mains', online: '0'}, BAT0: BATTERY})
  Unread('notes.txt')
enddef

def g:Test_prewarm_is_off_on_battery_without_a_charger_to_ask()
  Supplies({BAT0: BATTERY})
  Unread('notes.txt')
enddef

def g:Test_prewarm_on_battery_when_wanted()
  Supplies({AC: {type: 'Mains', online: '0'}, BAT0: BATTERY})
  g:inkling_prewarm = 'always'
  Warm('notes.txt')
  g:WaitForSent('assistant/prewarm')
enddef

def g:Test_prewarm_with_a_charger_and_the_battery_of_a_mouse()
  Supplies({ADP1: {type: 'Mains', online: '1'}, BAT0: {type: 'Battery', status: 'Charging'},
    mouse: {type: 'Battery', status: 'Discharging', scope: 'Device'}})
  Warm('notes.txt')
  g:WaitForSent('assistant/prewarm')
enddef

# A Mac has no such folder, and a program that tells.
def g:Test_prewarm_is_off_on_the_battery_of_a_mac()
  g:inkling_power_supply = '/nowhere'
  writefile(['#!/bin/sh', "echo \"Now drawing from 'Battery Power'\""], $TEST_FOLDER .. '/pmset')
  setfperm($TEST_FOLDER .. '/pmset', 'rwx------')
  $PATH = $TEST_FOLDER .. ':' .. $PATH
  Unread('notes.txt')
enddef

def g:Test_prewarm_names_what_the_keys_would_do()
  g:inkling_operator = 'rephrase shorter be kind'
  Warm('notes.txt')
  g:WaitForSent('assistant/prewarm')
  var params = g:Sent('assistant/prewarm')[0].params.params
  assert_equal(['shorter', 'be kind'], [params.tone, params.instructions])
  # A key of one's own says what is likely next.
  xnoremap <expr> <F4> inkling#Operator('summarize bullets 3')
  feedkeys("\<F4>", 'xt')
  feedkeys("\<Esc>gg0wve", 'xt')
  g:WaitForSent('assistant/prewarm', 2)
  var message = g:Sent('assistant/prewarm')[-1].params
  assert_equal(['assistant/summarize', 'bullets', 3], [message.method, message.params.style, message.params.count])
enddef

def g:Test_a_selection_alone_starts_nothing()
  g:Daemon({})
  g:Buffer(['one two'])
  # Loads the plugin's functions, as a status line does.
  inkling#Status()
  feedkeys('gg0wve', 'xt')
  var later = false
  timer_start(450, (_) => {
    later = true
  })
  g:WaitFor(() => later, 'a timer')
  assert_equal([], g:Log())
enddef

def g:Test_the_first_selection_connects_when_wanted()
  g:inkling_connect_early = true
  unlet g:loaded_inkling
  prop_type_delete('inkling_removed')
  prop_type_delete('inkling_added')
  runtime plugin/inkling.vim
  g:Daemon({})
  g:Buffer(['one two'])
  feedkeys('gg0wve', 'xt')
  g:WaitForSent('assistant/prewarm')
  assert_equal('two', g:Sent('assistant/prewarm')[0].params.params.text)
enddef
