vim9script
# Has the daemon read a selection beforehand, when it has rested for a while. Unless the person wants it otherwise, only
# once the daemon is in use: a selection alone starts no process.

import autoload './arguments.vim'
import autoload './connection.vim'
import autoload './power.vim'
import autoload './request.vim'
import autoload './selection.vim'
import autoload './text.vim' as texts

var timer = 0
var sent = false
# What the keys did last, as after :Inkling; the next request is likely the same.
var words = ''

def Wanted(): bool
  var wanted = get(g:, 'inkling_prewarm', true)
  return type(wanted) == v:t_string ? wanted ==# 'always' : wanted && !power.OnBattery()
enddef

# On every move in Visual mode, and when it begins.
export def Rest()
  timer_stop(timer)
  if mode() !~# '^[vV]$' || !get(g:, 'inkling_prewarm', true) || request.Private(bufnr())
    return
  elseif get(g:, 'inkling_connect_early', false) && Wanted()
    connection.Start()
  elseif !connection.Running()
    return
  endif
  timer = timer_start(get(g:, 'inkling_prewarm_milliseconds', 300), (_) => Send())
enddef

# Of what the keys do, for a text: a request that can be read ahead, or {}.
def Likely(): dict<any>
  var spec: dict<any> = {feature: ''}
  try
    spec = arguments.Parse(words ==# '' ? get(g:, 'inkling_operator', 'rephrase') : words)
  catch /^\%(Vim\)\@!/
    # It is told when the keys are pressed.
  endtry
  if spec.feature ==# 'rephrase'
    # Without a tone the daemon reads little of the text.
    return extend({tone: get(g:, 'inkling_tone', '') ?? 'formal'}, spec)
  endif
  return spec.feature ==# 'summarize' ? spec : {}
enddef

def Send()
  # Lines are counted before they are joined: a selection may be a whole large file.
  var limit = get(g:, 'inkling_prewarm_characters', 8000)
  if mode() !~# '^[vV]$' || !connection.Running() || abs(line('.') - line('v')) > limit || !Wanted()
    return
  endif
  var selected = selection.Now()
  var text = selection.Text(selected)
  var spec = Likely()
  if text =~ '\S' && strchars(text) <= limit && texts.Sendable(selected.lines) && !empty(spec)
    var [method, params] = request.Build(spec, bufnr(), text)
    connection.Notify('assistant/prewarm', {method: method, params: params})
    sent = true
  endif
enddef

# When Visual mode ends. A request may follow at once, which ends the reading by itself and uses it.
export def Gone()
  timer_stop(timer)
  timer_start(50, (_) => {
    if sent && mode() !~# "^[vV\<C-v>]"
      sent = false
      connection.Notify('assistant/prewarm', {})
    endif
  })
enddef

# A request was made; it uses what was read.
export def Used()
  timer_stop(timer)
  sent = false
enddef

export def KeysDid(operation: string)
  words = operation ==# '' ? words : operation
enddef

# For the health check.
export def Describe(): string
  if !get(g:, 'inkling_prewarm', true)
    return 'off'
  endif
  return Wanted() ? 'on' : 'off while the machine runs on its battery'
enddef
