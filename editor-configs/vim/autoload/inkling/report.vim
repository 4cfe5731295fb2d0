vim9script
# What is told to the person. Messages come while one types, so nothing here may make Vim ask for a key: the message
# line gets what fits, a popup that goes by itself the whole, and :InklingStatus shows the latest ones again.

var told: list<string> = []

def Show(message: string, group: string, milliseconds: number)
  told = [message] + told[: 9]
  var text = tr('Inkling: ' .. message, "\n", ' ')
  # Vim asks for a key when a message reaches the place of 'showcmd' and the ruler.
  var room = &columns - 14
  var fits = strdisplaywidth(text) <= room
  if !fits || mode() ==# 'c'
    popup_notification(split('Inkling: ' .. message, "\n"), {
      highlight: group, time: milliseconds, maxwidth: min([&columns - 4, 78]),
    })
  endif
  if mode() !=# 'c'
    execute 'echohl ' .. group
    echomsg fits ? text : matchstr(text, $'^.*\%<{room}v') .. '…'
    echohl None
  endif
enddef

export def Error(message: string)
  Show(message, 'ErrorMsg', 10000)
enddef

export def Warning(message: string)
  Show(message, 'WarningMsg', 8000)
enddef

export def Note(message: string)
  Show(message, 'None', 4000)
enddef

export def Latest(): list<string>
  return told
enddef
