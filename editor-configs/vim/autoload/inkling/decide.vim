vim9script
# What a person does with an answer: take it, leave it, ask for another.

import autoload './place.vim'
import autoload './preview.vim'
import autoload './report.vim'
import autoload './task.vim' as tasks

# The task of the current buffer that the cursor is in, or next to.
export def Here(): dict<any>
  var nearest: dict<any> = {}
  var distance = -1
  for task in sort(filter(tasks.All(), (_, task) => task.buffer == bufnr()), (one, other) => other.id - one.id)
    var found = preview.Place(task)
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

export def Accept(task: dict<any>)
  if task.state !=# 'done'
    report.Note('the answer is not finished yet.')
    return
  endif
  var draft = task.drafts[task.draft]
  var placement = task.spec.placement
  var where = placement ==# 'replace' ? preview.Unchanged(task) : preview.Place(task)
  if index(['replace', 'below', 'above'], placement) >= 0
    if empty(where)
      report.Error($'the text was changed meanwhile, so nothing is put there. {preview.Keys().yank} yanks the answer.')
      tasks.Draw(task)
      return
    elseif !place.Changeable(task.buffer)
      report.Error("this buffer cannot be changed ('readonly' is set or 'modifiable' is not).")
      return
    elseif placement ==# 'replace' && empty(task.lines)
      placement = 'below'
    endif
  endif
  # First the marks: undo would bring them back with the lines.
  tasks.Close(task)
  if placement ==# 'replace' && empty(draft.edits)
    report.Note('the answer is the text as it was.')
  elseif placement ==# 'replace'
    place.Replace(task.buffer, where[0], where[1], len(task.lines), draft.edits)
  elseif placement ==# 'below' || placement ==# 'above'
    var last = where[0] + max([len(task.lines), 1]) - 1
    place.Insert(task.buffer, placement ==# 'above', placement ==# 'above' ? where[0] : last, draft.text)
  elseif placement ==# 'register'
    Yank(draft.text)
  elseif placement ==# 'new'
    place.NewBuffer(task.buffer, draft.text)
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

export def Retry(task: dict<any>)
  tasks.EndRequest(task)
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
    inkling#decide#Accept(task)
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
  elseif action ==# 'yank'
    Yank(task.drafts[task.draft].text)
  elseif action ==# 'diff'
    var source = join(task.lines, "\n")
    task.difference = preview.Difference(source, task.drafts[task.draft].edits)
    task.diff = !task.diff
    tasks.Draw(task)
  endif
enddef

def Instruct(task: dict<any>)
  var text = inputdialog('Instructions: ', get(task.spec, 'instructions', ''), "\<Esc>")
  redraw
  # The task may have been closed while the person wrote: its buffer went, or the daemon.
  if text !=# "\<Esc>" && task.state !=# 'closed'
    tasks.EndRequest(task)
    task.spec.instructions = trim(text)
    tasks.Send(task)
  endif
enddef
