vim9script
# Has the daemon read a selection beforehand, when it has rested for a while. Only once the daemon is in use: a
# selection alone starts no process.

import autoload './connection.vim'
import autoload './request.vim'
import autoload './selection.vim'
import autoload './text.vim' as texts

var timer = 0
var sent = false
# The tone of the next request is not known. Without one the daemon reads little of the text.
var likely_tone = ''

# On every move in Visual mode, and when it begins.
export def Rest()
  timer_stop(timer)
  if get(g:, 'inkling_prewarm', true) && connection.Running() && !request.Private(bufnr())
    timer = timer_start(get(g:, 'inkling_prewarm_milliseconds', 300), (_) => Send())
  endif
enddef

def Send()
  if mode() !=# 'v' && mode() !=# 'V'
    return
  endif
  # Lines are counted before they are joined: a selection may be a whole large file.
  var limit = get(g:, 'inkling_prewarm_characters', 8000)
  if abs(line('.') - line('v')) > limit
    return
  endif
  var selected = selection.Now()
  var text = selection.Text(selected)
  if text =~ '\S' && strchars(text) <= limit && texts.Sendable(selected.lines)
    var tone = likely_tone ==# '' ? get(g:, 'inkling_tone', 'formal') : likely_tone
    var [method, params] = request.Build({feature: 'rephrase', tone: tone}, bufnr(), text)
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
export def Used(spec: dict<any>)
  likely_tone = get(spec, 'tone', likely_tone)
  timer_stop(timer)
  sent = false
enddef
