vim9script
# A request with what becomes of it: sent, shown while it is written, decided on, gone.

import autoload './connection.vim'
import autoload './decide.vim'
import autoload './keys.vim'
import autoload './place.vim'
import autoload './preview.vim'
import autoload './region.vim'
import autoload './report.vim'
import autoload './request.vim'
import autoload './selection.vim' as selections
import autoload './text.vim' as texts

# States: running, done (there is a draft to decide on), closed. A closed task is in the table no more.
var tasks: dict<dict<any>> = {}
var last_id = 0

export def All(): list<dict<any>>
  return values(tasks)
enddef

def Refusal(spec: dict<any>, selection: dict<any>): string
  var needs_text = index(['rephrase', 'summarize'], spec.feature) >= 0 ||
    get(request.Feature(spec.feature), 'input', '') ==# 'selection'
  var placement = spec.placement
  if selection.kind ==# 'point' && needs_text
    return 'there is no text here. Select some, or go to a paragraph.'
  elseif !texts.Sendable(selection.lines)
    return 'the text holds bytes that are not UTF-8, or NUL. Select other text.'
  elseif &encoding !=# 'utf-8'
    return "'encoding' must be utf-8."
  elseif placement ==# 'replace' && selection.kind ==# 'block'
    return 'a block cannot be replaced. Select characters or lines, or choose another placement.'
  elseif index(['replace', 'below', 'above'], placement) >= 0 && !place.Changeable(selection.buffer)
    return "this buffer cannot be changed ('readonly' is set or 'modifiable' is not). Try placement=new."
  endif
  return ''
enddef

# Begins a task in the current buffer. Gives its number, or 0 when it was refused.
export def Begin(wanted: dict<any>, selection: dict<any>): number
  var spec = copy(wanted)
  spec.placement = request.Placement(spec)
  if spec.placement !=# 'replace' && !has_key(wanted, 'placement') && !place.Changeable(selection.buffer)
    spec.placement = 'new'
  endif
  var refusal = Refusal(spec, selection)
  if refusal !=# ''
    report.Error(refusal)
    return 0
  endif
  last_id += 1
  var task: dict<any> = {
    id: last_id, buffer: selection.buffer, spec: spec, lines: selection.lines,
    text: get(spec, 'topic', selections.Text(selection)), kind: selection.kind, tries: 0, drafts: [], draft: 0,
    diff: false, difference: [], handle: 0, timer: 0, state: 'running', shown: '', units: 0, doing: '', token: '',
    speed: '',
  }
  if selection.kind ==# 'block' || selection.kind ==# 'point'
    # Only the place matters: nothing of these is replaced.
    task.lines = []
  endif
  task.sources = [task.lines]
  preview.Prepare(task)
  region.Mark(task, empty(task.lines) ? selection.last : selection.first, selection.last)
  tasks[task.id] = task
  keys.Map(task.buffer)
  inkling#task#Send(task)
  return task.id
enddef

export def Send(task: dict<any>)
  task.tries += 1
  task.token = $'{task.id}-{task.tries}'
  extend(task, {state: 'running', shown: '', units: 0, doing: 'waiting', begun: false, diff: false})
  var [method, params] = request.Build(task.spec, task.buffer, task.text)
  extend(params, {partialResultToken: 'text-' .. task.token, workDoneToken: 'work-' .. task.token})
  connection.Listen(params.partialResultToken, (value) => Partial(task, value))
  connection.Listen(params.workDoneToken, (value) => Work(task, value))
  task.handle = connection.Request(method, params, (reply) => Answered(task, reply))
  inkling#task#Draw(task)
enddef

export def EndRequest(task: dict<any>)
  connection.Cancel(task.handle)
  connection.Forget('text-' .. task.token)
  connection.Forget('work-' .. task.token)
  timer_stop(task.timer)
  task.timer = 0
enddef

def Partial(task: dict<any>, value: dict<any>)
  if value.kind ==# 'structured'
    task.shown = texts.Outline(value.value)
  elseif value.kind ==# 'text'
    var encoding = connection.Encoding()
    if value.offset < task.units
      task.shown = strpart(task.shown, 0, texts.Bytes(task.shown, [value.offset], encoding)[0])
    endif
    task.shown ..= value.delta
    task.units = value.offset + texts.Units(value.delta, encoding)
  else
    return
  endif
  var first = !task.begun
  task.begun = true
  if first
    task.doing = 'writing'
  endif
  Later(task, first)
enddef

def Work(task: dict<any>, value: dict<any>)
  # Once there is text to see, only a part of many is worth telling.
  if task.begun && get(value, 'message', '') !~# '^Writing part'
    return
  endif
  var percentage = has_key(value, 'percentage') ? $' {value.percentage} %' : ''
  task.doing = get(value, 'message', get(value, 'title', task.doing)) .. percentage
  Later(task, false)
enddef

# A reply may bring a thousand partial results; they are drawn together, the first at once.
def Later(task: dict<any>, now: bool)
  if now
    inkling#task#Draw(task)
  elseif task.timer == 0
    task.timer = timer_start(40, (_) => {
      task.timer = 0
      inkling#task#Draw(task)
    })
  endif
enddef

def Answered(task: dict<any>, reply: dict<any>)
  inkling#task#EndRequest(task)
  if has_key(reply, 'error')
    Failed(task, reply.error.message)
    return
  endif
  var result = reply.result
  var answer = get(result, 'text', get(result, 'rendered', ''))
  if answer !~ '\S'
    Failed(task, 'the model wrote nothing. Try again, or with other instructions.')
    return
  endif
  if task.spec.placement ==# ''
    task.spec.placement = request.Output(result.output)
  endif
  task.state = 'done'
  task.draft = len(task.drafts)
  var warnings = mapnew(result.warnings, (_, warning) => warning.message)
  for [index, text] in items(get(result, 'alternatives', [answer]))
    var draft = {text: text, edits: {}, warnings: warnings}
    add(task.drafts, draft)
    if index == 0
      Received(task, draft, get(result, 'edits', []))
    endif
  endfor
  task.speed = Speed(result.usage)
  if get(task.spec, 'now', false) && index(['new', 'echo'], task.spec.placement) < 0
    decide.Accept(task, false)
    if !empty(warnings)
      report.Warning(join(warnings, "\n"))
    endif
  else
    inkling#task#Draw(task)
  endif
  redrawstatus!
enddef

# The daemon's own edits are kept when they do lead to the text; a draft's edits stand under the text they begin with.
def Received(task: dict<any>, draft: dict<any>, sent: list<any>)
  var source = join(task.lines, "\n")
  var edits = texts.Edits(source, sent, connection.Encoding())
  if texts.Edited(source, edits) ==# draft.text
    draft.edits[source] = texts.Together(source, edits)
  endif
enddef

# The edits that lead from the text as it stands now to a draft.
export def Edits(task: dict<any>, draft: dict<any>): list<list<any>>
  var source = join(task.lines, "\n")
  if !has_key(draft.edits, source)
    draft.edits[source] = texts.Together(source, texts.Difference(source, draft.text))
  endif
  return draft.edits[source]
enddef

# How fast the answer was written; nothing of one that was not written by and by.
def Speed(usage: dict<any>): string
  var seconds = (usage.durationMs - usage.timeToFirstTokenMs) / 1000.0
  var tokens = usage.completionTokens
  return tokens > 1 && seconds > 0 ? $', {float2nr(round(tokens / seconds))} tokens/s' : ''
enddef

# What was shown is void. Drafts of earlier tries stay.
def Failed(task: dict<any>, message: string)
  task.shown = ''
  report.Error(message)
  if empty(task.drafts)
    inkling#task#Close(task)
  else
    task.state = 'done'
    inkling#task#Draw(task)
  endif
enddef

export def Close(task: dict<any>)
  inkling#task#EndRequest(task)
  task.state = 'closed'
  remove(tasks, task.id)
  preview.Hide(task)
  if empty(filter(inkling#task#All(), (_, other) => other.buffer == task.buffer))
    keys.Unmap(task.buffer)
  endif
  redrawstatus!
enddef

def Hint(task: dict<any>): string
  var key = keys.Keys()
  var title = request.Title(task.spec)
  if task.state ==# 'running'
    return $'{title}: {task.doing} …  {key.reject} stop'
  endif
  var count = len(task.drafts) > 1 ? $' ({task.draft + 1} of {len(task.drafts)})' : ''
  var accept = task.spec.placement ==# 'echo' ? 'close' : 'accept'
  var hunk = task.diff && task.spec.placement ==# 'replace' ? $'  {key.hunk} hunk' : ''
  return $'{title}{count}  {key.accept} {accept}{hunk}  {key.reject} reject  ' ..
    $'{key.next} next  {key.diff} diff  {key.edit} edit'
enddef

export def Draw(task: dict<any>)
  if task.state ==# 'closed'
    return
  endif
  var rows: list<list<string>> = []
  if task.state ==# 'done'
    var draft = task.drafts[task.draft]
    task.difference = task.diff ? inkling#task#Edits(task, draft) : []
    add(rows, ['text', draft.text])
    extend(rows, mapnew(draft.warnings, (_, warning) => ['warning', 'Note: ' .. warning]))
  elseif task.shown !=# ''
    add(rows, ['text', task.shown])
  endif
  preview.Show(task, add(rows, ['hint', Hint(task)]))
  redrawstatus!
enddef

# Undo may have brought a text back that the task knows, and has taken what was shown in its lines along.
export def Changed(buffer: number)
  for task in filter(inkling#task#All(), (_, task) => task.buffer == buffer)
    region.Unchanged(task)
    inkling#task#Draw(task)
  endfor
enddef

export def Redraw()
  for task in inkling#task#All()
    inkling#task#Draw(task)
  endfor
enddef

# A buffer that goes takes its requests along.
export def Gone(buffer: number)
  for task in filter(inkling#task#All(), (_, task) => task.buffer == buffer)
    inkling#task#Close(task)
  endfor
enddef

export def Status(): string
  var running = filter(inkling#task#All(), (_, task) => task.state ==# 'running')
  if len(running) > 1
    return $'Inkling: {len(running)} at work'
  elseif len(running) == 1
    return 'Inkling: ' .. running[0].doing
  endif
  var waiting = sort(inkling#task#All(), (one, other) => other.id - one.id)
  return empty(waiting) ? '' : $'Inkling: {len(waiting)} to decide{waiting[0].speed}'
enddef
