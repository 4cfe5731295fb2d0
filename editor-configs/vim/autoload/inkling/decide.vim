vim9script
# What a person does with an answer: take it, leave it, ask for another.

import autoload './keys.vim'
import autoload './place.vim'
import autoload './preview.vim'
import autoload './region.vim'
import autoload './report.vim'
import autoload './task.vim' as tasks
import autoload './text.vim' as texts

# The task of the current buffer that the cursor is in, or next to.
export def Here(): dict<any>
  var nearest: dict<any> = {}
  var distance = -1
  for task in sort(filter(tasks.All(), (_, task) => task.buffer == bufnr()), (one, other) => other.id - one.id)
    var found = region.Place(task)
    var away = 1000000
    if !empty(found)
      away = max([found[0] - line('.'), line('.') - found[0] - max([len(task.lines), 1]) + 1, 0])
    endif
    if distance < 0 || away < distance
      [nearest, distance] = [task, away]
    endif
  endfor
  return nearest
enddef

# Why the answer cannot be put into the buffer; '' when it can.
def Refusal(task: dict<any>, where: list<number>): string
  if index(['replace', 'below', 'above'], task.spec.placement) < 0
    return ''
  elseif empty(where)
    return $'the text has gone. {keys.Keys().yank} yanks the answer.'
  elseif !place.Changeable(task.buffer)
    return "this buffer cannot be changed ('readonly' is set or 'modifiable' is not)."
  endif
  return ''
enddef

# Goes on when the text is as it was sent; one that was edited meanwhile is replaced only when the person says so.
def WhenSure(task: dict<any>, Go: func())
  if !empty(region.Unchanged(task))
    Go()
    return
  endif
  popup_menu(['Keep it', 'Ask again for the text as it is now', 'Replace it anyway'], {
    title: ' Inkling: the text was changed meanwhile. ',
    callback: (_, chosen) => {
      # All may have happened while the question stood there.
      var now = task.state ==# 'done' ? region.Now(task) : {}
      if chosen == 2 && task.state ==# 'done'
        inkling#decide#Retry(task)
      elseif chosen == 3 && !empty(now)
        task.lines = now.lines
        Go()
      endif
    },
  })
enddef

# `asked` is false for an answer that comes by itself: nobody expects a question then.
export def Accept(task: dict<any>, asked: bool)
  if task.state ==# 'closed'
    return
  elseif task.state !=# 'done'
    report.Note('the answer is not finished yet.')
    return
  endif
  var replaces = task.spec.placement ==# 'replace' && !empty(task.lines)
  var refusal = Refusal(task, region.Place(task))
  if refusal ==# '' && replaces && !asked && empty(region.Unchanged(task))
    refusal = 'the text was changed meanwhile, so nothing is put there.'
  endif
  if refusal !=# ''
    report.Error(refusal)
    tasks.Draw(task)
    return
  elseif replaces && asked
    WhenSure(task, () => Put(task))
  else
    Put(task)
  endif
enddef

# Changes the text of a task; what others have in the same lines is followed. The marks stay while it is done: undo
# brings them back with the lines.
def Change(task: dict<any>, where: list<number>, edits: list<list<any>>)
  var others = filter(tasks.All(), (_, each) => each.buffer == task.buffer && each.id != task.id)
  var places = mapnew(others, (_, other) => region.Now(other))
  var Moved = place.Replace(task.buffer, where, len(task.lines), edits)
  for [index, other] in items(others)
    if !empty(places[index])
      region.Mark(other, Moved(places[index].first), Moved(places[index].last))
      tasks.Draw(other)
    endif
  endfor
enddef

def Put(task: dict<any>)
  var draft = task.drafts[task.draft]
  var placement = task.spec.placement
  var replaces = placement ==# 'replace' && !empty(task.lines)
  var edits = replaces ? tasks.Edits(task, draft) : []
  if replaces && empty(edits)
    tasks.Close(task)
    report.Note('the answer is the text as it was.')
    return
  elseif index(['replace', 'below', 'above'], placement) >= 0
    var where = region.Place(task)
    var last = where[0] + max([len(task.lines), 1]) - 1
    # Undo must not bring back what is shown with the lines.
    preview.Clear(task)
    try
      if replaces
        Change(task, where, edits)
      else
        place.Insert(task.buffer, placement ==# 'above', placement ==# 'above' ? where[0] : last, draft.text)
      endif
    catch /^Vim\%((\a\+)\)\=:E565:/
      # While Vim computes a completion or an expression, no text may change.
      tasks.Draw(task)
      timer_start(50, (_) => inkling#decide#Accept(task, false))
      return
    endtry
  endif
  tasks.Close(task)
  if placement ==# 'register'
    Yank(draft.text)
  elseif placement ==# 'new'
    place.NewBuffer(task.buffer, draft.text)
  endif
enddef

# The change at an offset, or the nearest.
def Nearest(edits: list<list<any>>, offset: number): number
  var [nearest, distance] = [-1, 0]
  for [index, edit] in items(edits)
    var away = max([edit[0] - offset, offset - max([edit[0], edit[1] - 1]), 0])
    if nearest < 0 || away <= distance
      [nearest, distance] = [index, away]
    endif
  endfor
  return nearest
enddef

# Accepts one change; the others wait.
def AcceptHunk(task: dict<any>)
  var refusal = Refusal(task, region.Place(task))
  if task.spec.placement !=# 'replace' || empty(task.lines)
    refusal = 'this answer replaces nothing.'
  endif
  if refusal !=# ''
    report.Error(refusal)
  else
    WhenSure(task, () => PutHunk(task))
  endif
enddef

def PutHunk(task: dict<any>)
  var where = region.Place(task)
  var draft = task.drafts[task.draft]
  var edits = tasks.Edits(task, draft)
  var chosen = Nearest(edits, texts.Offset(task.lines, where, getcurpos()[1 : 2]))
  if chosen < 0
    report.Note('nothing is left to accept.')
    return
  endif
  var lines = task.lines
  var text = texts.Edited(join(lines, "\n"), [edits[chosen]])
  var shift = len(edits[chosen][2]) - (edits[chosen][1] - edits[chosen][0])
  draft.edits[text] = slice(edits, 0, chosen) +
    mapnew(edits[chosen + 1 :], (_, edit) => [edit[0] + shift, edit[1] + shift, edit[2]])
  # Undo must not bring back what is shown with the lines.
  preview.Clear(task)
  Change(task, where, [edits[chosen]])
  region.Changed(task, where, split(text, "\n", true))
  if empty(draft.edits[text])
    report.Note('that was the last change.')
    tasks.Close(task)
  else
    tasks.Draw(task)
  endif
enddef

def Yank(text: string)
  var name = get(g:, 'inkling_register', '"')
  setreg(name, text, 'v')
  report.Note($'the answer is in register {name}')
enddef

export def Stop(task: dict<any>)
  # What an earlier try has brought is still there to decide on.
  if task.state ==# 'running' && !empty(task.drafts)
    tasks.EndRequest(task)
    task.state = 'done'
    tasks.Draw(task)
  else
    tasks.Close(task)
  endif
enddef

# What is asked next is about the text as it stands now.
def Renew(task: dict<any>)
  tasks.EndRequest(task)
  var now = region.Now(task)
  if !empty(task.lines) && empty(region.Unchanged(task)) && !empty(now) && texts.Sendable(now.lines)
    region.Changed(task, now.first, now.lines)
  endif
  if !empty(task.lines) && !has_key(task.spec, 'topic')
    task.text = join(task.lines, "\n")
  endif
enddef

export def Retry(task: dict<any>)
  Renew(task)
  task.spec.options = {
    temperature: min([12, 6 + 2 * task.tries]) / 10.0, minP: 0.05, seed: and(rand(srand()), 0x7fffffff),
  }
  tasks.Send(task)
enddef

export def Act(action: string)
  var task = inkling#decide#Here()
  if action ==# 'down' || action ==# 'up'
    preview.Scroll(action ==# 'down' ? 5 : -5)
  elseif empty(task)
    report.Note('nothing is at work here.')
  elseif action ==# 'accept'
    inkling#decide#Accept(task, true)
  elseif action ==# 'reject'
    inkling#decide#Stop(task)
  elseif action ==# 'retry'
    inkling#decide#Retry(task)
  elseif action ==# 'edit'
    Instruct(task)
  elseif task.state ==# 'running'
    report.Note('the answer is not finished yet.')
  elseif action ==# 'next' && len(task.drafts) == 1
    inkling#decide#Retry(task)
  elseif action ==# 'next'
    task.draft = (task.draft + 1) % len(task.drafts)
    task.diff = false
    tasks.Draw(task)
  elseif action ==# 'hunk'
    AcceptHunk(task)
  elseif action ==# 'yank'
    Yank(task.drafts[task.draft].text)
  elseif action ==# 'diff'
    task.diff = !task.diff
    tasks.Draw(task)
  endif
enddef

def Instruct(task: dict<any>)
  var text = inputdialog('Instructions: ', get(task.spec, 'instructions', ''), "\<Esc>")
  redraw
  # The task may have been closed while the person wrote: its buffer went, or the daemon.
  if text !=# "\<Esc>" && task.state !=# 'closed'
    Renew(task)
    task.spec.instructions = trim(text)
    tasks.Send(task)
  endif
enddef
