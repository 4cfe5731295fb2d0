vim9script
# Where the text of a task is in its buffer: a text property that follows all edits around it. Its type is the task's
# own: undo brings properties back with the text of lines, and those whose type is gone are not seen.

def Type(task: dict<any>): string
  return $'inkling_source_{task.id}'
enddef

# `first` and `last` are [line, byte], the latter after the end, bytes from 0.
export def Mark(task: dict<any>, first: list<number>, last: list<number>)
  if empty(prop_type_get(Type(task), {bufnr: task.buffer}))
    prop_type_add(Type(task), {bufnr: task.buffer, highlight: 'InklingSource'})
  endif
  prop_remove({type: Type(task), bufnr: task.buffer, all: true})
  prop_add(first[0], first[1] + 1, {
    type: Type(task), bufnr: task.buffer, end_lnum: last[0], end_col: last[1] + 1,
  })
enddef

export def Forget(task: dict<any>)
  prop_remove({type: Type(task), bufnr: task.buffer, all: true})
  prop_type_delete(Type(task), {bufnr: task.buffer})
enddef

def Properties(task: dict<any>): list<dict<any>>
  return bufloaded(task.buffer) && !empty(prop_type_get(Type(task), {bufnr: task.buffer})) ?
    prop_list(1, {end_lnum: -1, bufnr: task.buffer, types: [Type(task)]}) : []
enddef

# Where it begins now, [line, byte]; [] when it has gone.
export def Place(task: dict<any>): list<number>
  for property in Properties(task)
    return [property.lnum, property.col - 1]
  endfor
  return []
enddef

# What stands there now, {first, last, lines}, or {} when it has gone.
export def Now(task: dict<any>): dict<any>
  var found = Properties(task)
  if empty(found)
    return {}
  endif
  var [first, last] = [found[0], found[-1]]
  var lines = getbufline(task.buffer, first.lnum, last.lnum)
  lines[-1] = strpart(lines[-1], 0, last.col - 1 + last.length)
  lines[0] = strpart(lines[0], first.col - 1)
  return {first: [first.lnum, first.col - 1], last: [last.lnum, last.col - 1 + last.length], lines: lines}
enddef

# Whether a text stands at a place; what follows it in its last line does not matter.
def Stands(task: dict<any>, place: list<number>, text: list<string>): bool
  var lines = getbufline(task.buffer, place[0], place[0] + len(text) - 1)
  if len(lines) < len(text)
    return false
  endif
  lines[0] = strpart(lines[0], place[1])
  lines[-1] = strpart(lines[-1], 0, len(text[-1]))
  return lines ==# text
enddef

# Where the text begins when it is one that the task knows: as it was sent, or with hunks that were accepted, as undo
# and redo leave it. That one is then the text of the task. Else [].
export def Unchanged(task: dict<any>): list<number>
  var now = inkling#region#Now(task)
  if empty(now) || empty(task.lines)
    return inkling#region#Place(task)
  endif
  for lines in task.sources
    if lines ==# now.lines
      task.lines = lines
      return now.first
    endif
  endfor
  # A change that goes around Vim's keeping of properties leaves their ends where they were.
  return Stands(task, now.first, task.lines) ? now.first : []
enddef

# After a change of the plugin's own: the text that stands there now.
export def Changed(task: dict<any>, first: list<number>, lines: list<string>)
  task.lines = lines
  if index(task.sources, lines) < 0
    add(task.sources, lines)
  endif
  inkling#region#Mark(task, first, [first[0] + len(lines) - 1, len(lines[-1]) + (len(lines) == 1 ? first[1] : 0)])
enddef
