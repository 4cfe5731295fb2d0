vim9script
# Puts answers into buffers: each in one step of undo, and with the smallest changes, so that marks, folds and the
# cursor stay where they are.

import autoload './text.vim' as texts

# Setting 'undolevels', even to its own value, ends the step of undo at hand. A callback may come while one types.
def EndUndoStep(buffer: number)
  var levels = getbufvar(buffer, '&undolevels')
  setbufvar(buffer, '&undolevels', levels)
  if levels == &g:undolevels
    # The local option was not set, or need not be: this unsets it.
    setbufvar(buffer, '&undolevels', -123456)
  endif
enddef

export def Changeable(buffer: number): bool
  return getbufvar(buffer, '&modifiable') && !getbufvar(buffer, '&readonly')
enddef

# Where each line of a text begins, and the line of an offset.
def Starts(lines: list<string>): list<number>
  var starts = [0]
  for line in lines
    add(starts, starts[-1] + len(line) + 1)
  endfor
  return starts
enddef

def LineOf(starts: list<number>, offset: number): number
  var low = 0
  var high = len(starts) - 2
  while low < high
    var middle = (low + high + 1) / 2
    if starts[middle] <= offset
      low = middle
    else
      high = middle - 1
    endif
  endwhile
  return low
enddef

# Edits that touch the same lines become one change of these lines: [first line, last line, new lines].
def Changes(lines: list<string>, edits: list<list<any>>): list<list<any>>
  var starts = Starts(lines)
  var changes: list<list<any>> = []
  var parts: list<string> = []
  var [first, last, position] = [0, -1, 0]
  for [start, end, text] in edits
    var line = LineOf(starts, start)
    if line > last
      if last >= 0
        add(parts, strpart(join(lines[first : last], "\n"), position - starts[first]))
        add(changes, [first, last, split(join(parts, ''), "\n", true)])
      endif
      parts = []
      [first, position] = [line, starts[line]]
    endif
    last = max([last, LineOf(starts, end)])
    var whole = join(lines[first : last], "\n")
    extend(parts, [strpart(whole, position - starts[first], start - position), text])
    position = end
  endfor
  if last >= 0
    add(parts, strpart(join(lines[first : last], "\n"), position - starts[first]))
    add(changes, [first, last, split(join(parts, ''), "\n", true)])
  endif
  return changes
enddef

# First lines go and come, then they are set: Vim loses the text properties of a line that is set, and lines beside it
# that go would miss them.
def Apply(buffer: number, top: number, changes: list<list<any>>)
  for [first, last, new] in reverse(copy(changes))
    var size = last - first + 1
    if len(new) > size
      appendbufline(buffer, top + last, new[size :])
    elseif len(new) < size
      deletebufline(buffer, top + first + len(new), top + last)
    endif
  endfor
  var shift = 0
  for [first, last, new] in changes
    var size = last - first + 1
    setbufline(buffer, top + first + shift, slice(new, 0, size))
    shift += len(new) - size
  endfor
enddef

# An offset of the old text in the new one: inside a replaced part it is as far from the start as it can be.
def Moved(offset: number, edits: list<list<any>>): number
  var shift = 0
  for [start, end, text] in edits
    if end <= offset && (start < offset || end > start)
      shift += len(text) - (end - start)
    elseif start <= offset
      return start + shift + min([offset - start, len(text)])
    else
      break
    endif
  endfor
  return offset + shift
enddef

# The cursors in the lines that change: [window, [line, byte]].
def Cursors(buffer: number, first: number, last: number): list<list<any>>
  var found: list<list<any>> = []
  for window in win_findbuf(buffer)
    var [line, column] = getcurpos(window)[1 : 2]
    if line >= first && line <= last
      add(found, [window, [line, column - 1]])
    endif
  endfor
  return found
enddef

# Replaces a text that begins at a line and a byte. The edits count from there. Gives a function that tells where a
# [line, byte] of before is now: Vim itself keeps no text properties in the lines that change.
export def Replace(buffer: number, where: list<number>, count: number, source_edits: list<list<any>>): func
  var [line, byte] = where
  var lines = getbufline(buffer, line, line + count - 1)
  var edits = mapnew(source_edits, (_, edit) => [edit[0] + byte, edit[1] + byte, edit[2]])
  var changes = Changes(lines, edits)
  var starts = Starts(lines)
  var cursors = Cursors(buffer, line, line + count - 1)
  EndUndoStep(buffer)
  var here = buffer == bufnr() ? line('.') : 0
  if here >= line && here < line + changes[0][0]
    # Undo goes to the first line of a step, and with the cursor's own among them back to its column.
    setbufline(buffer, here, getbufline(buffer, here))
  endif
  Apply(buffer, line, changes)
  var grown = reduce(changes, (sum, change) => sum + len(change[2]) - (change[1] - change[0] + 1), 0)
  var Now = (position: list<number>): list<number> => {
    if position[0] < line || position[0] >= line + count
      return position[0] < line ? position : [position[0] + grown, position[1]]
    endif
    var offset = Moved(starts[position[0] - line] + position[1], edits)
    return texts.Position(join(getbufline(buffer, line, line + count + grown - 1), "\n"), [line, 0], offset)
  }
  for [window, position] in cursors
    var now = Now(position)
    win_execute(window, $'cursor({now[0]}, {now[1] + 1})')
  endfor
  EndUndoStep(buffer)
  return Now
enddef

# A block of lines of its own, with blank lines around it.
export def Insert(buffer: number, above: bool, line: number, text: string)
  var after = above ? line - 1 : line
  var lines = split(text, "\n", true)
  var before = after > 0 ? getbufline(buffer, after)[0] : ''
  var behind = getbufline(buffer, after + 1)
  EndUndoStep(buffer)
  if before =~ '\S'
    insert(lines, '')
  endif
  if !empty(behind) && behind[0] =~ '\S'
    add(lines, '')
  endif
  appendbufline(buffer, after, lines)
  EndUndoStep(buffer)
enddef

export def NewBuffer(buffer: number, text: string)
  var type = getbufvar(buffer, '&filetype')
  new
  setline(1, split(text, "\n", true))
  &l:filetype = type
enddef
