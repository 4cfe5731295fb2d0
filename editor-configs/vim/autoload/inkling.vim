vim9script
# What mappings, commands and status lines call.

import autoload './inkling/arguments.vim'
import autoload './inkling/chat.vim'
import autoload './inkling/connection.vim'
import autoload './inkling/decide.vim'
import autoload './inkling/models.vim'
import autoload './inkling/prewarm.vim'
import autoload './inkling/report.vim'
import autoload './inkling/selection.vim'
import autoload './inkling/sessions.vim'
import autoload './inkling/task.vim'

# From the first use on: before it, Vim does nothing for this plugin.
augroup inkling
  autocmd ModeChanged *:[vV] prewarm.Rest()
  autocmd CursorMoved * if mode() =~# '^[vV]$' | prewarm.Rest() | endif
  autocmd ModeChanged [vV\x16]*:[^vV\x16]* prewarm.Gone()
  autocmd BufUnload * task.Gone(str2nr(expand('<abuf>'))) | chat.Gone(str2nr(expand('<abuf>')))
  autocmd TextChanged * task.Changed(bufnr())
  autocmd BufWinEnter,TabEnter,VimResized * task.Redraw()
  autocmd VimLeavePre * connection.Stop()
  if exists('##WinResized')
    autocmd WinResized * task.Redraw()
  endif
augroup END

# What the operator is to do; dot repeats it with the same.
var operation = ''

def Begin(words: string, now: bool, selected: dict<any>)
  try
    var spec = words ==# '' ? {} : arguments.Parse(words)
    if empty(spec)
      Choose(selected)
      return
    endif
    spec.now = now || !get(g:, 'inkling_preview', true)
    prewarm.Used()
    task.Begin(spec, has_key(spec, 'topic') ? selection.Point() : selected)
  catch /^\%(Vim\)\@!/
    report.Error(v:exception)
  endtry
enddef

# :Inkling
export def Run(words: string, now: bool, count: number, first: number, last: number)
  Begin(words, now, selection.Range(count, first, last))
enddef

# For mappings with <expr>: the words are those of :Inkling, none of them opens the menu.
export def Operator(words: string): string
  operation = words
  prewarm.KeysDid(words)
  &operatorfunc = 'inkling#Operate'
  return 'g@'
enddef

export def Operate(type: string)
  Begin(operation, false, selection.Operated(type))
enddef

# The menu knows what was selected when it was opened.
def Choose(selected: dict<any>)
  var entries = arguments.Menu()
  if empty(entries)
    report.Error(connection.Describe().complaint)
    return
  endif
  popup_menu(mapnew(entries, (_, entry) => entry[0]), {
    title: ' Inkling ', maxheight: &lines - 6,
    callback: (_, chosen) => {
      if chosen > 0 && bufnr() == selected.buffer
        var spec = extend(entries[chosen - 1][1], {now: !get(g:, 'inkling_preview', true)})
        prewarm.Used()
        task.Begin(spec, selected)
      endif
    },
  })
enddef

export def Complete(lead: string, line: string, position: number): list<string>
  return arguments.Complete(lead, line, position)
enddef

export def CompleteVoice(lead: string, line: string, position: number): list<string>
  return arguments.CompleteVoice(lead, line, position)
enddef

# What the keys of a preview do.
export def Act(action: string)
  decide.Act(action)
enddef

# :InklingStop
export def Stop(all: bool)
  var here = all ? task.All() : [decide.Here()]
  for each in filter(here, (_, each) => !empty(each))
    task.Close(each)
  endfor
enddef

export def Voice(name: string)
  if name ==# ''
    var voice = get(g:, 'inkling_voice', '')
    report.Note('the voice is ' .. (voice ==# '' ? 'the default' : voice))
  else
    g:inkling_voice = name
    chat.Voice(name)
  endif
enddef

# :InklingChat
export def Chat(kept: bool)
  chat.Open(kept)
enddef

# :InklingSessions
export def Sessions()
  sessions.Show()
enddef

# :InklingModel
export def Model(name: string)
  models.Choose(name)
enddef

export def CompleteModel(lead: string, _: string, _: number): list<string>
  return models.Complete(lead)
enddef

# The first selection of this Vim, when the person wants it read ahead, too.
export def Early()
  prewarm.Rest()
enddef

# For the status line; empty when there is nothing to say.
export def Status(): string
  var status = task.Status()
  var availability = connection.Describe().availability
  if status ==# '' && get(availability, 'state', '') ==# 'loading'
    return $"Inkling: loading {float2nr(100 * get(availability, 'progress', 0.0))} %"
  endif
  return status
enddef
