vim9script
# Offsets, edits and widths of texts. Inside the plugin every offset counts bytes.

# Whether the text can be sent as it is: Vim keeps a NUL of a line as a line break, and JSON knows only UTF-8.
export def Sendable(lines: list<string>): bool
  for line in lines
    if stridx(line, "\n") >= 0 || list2str(str2list(line, true), true) !=# line
      return false
    endif
  endfor
  return true
enddef

export def Units(text: string, encoding: string): number
  if encoding ==# 'utf-8'
    return len(text)
  endif
  var count = 0
  for scalar in str2list(text, true)
    count += scalar > 0xffff && encoding ==# 'utf-16' ? 2 : 1
  endfor
  return count
enddef

# The byte offsets of ascending offsets in the negotiated units.
export def Bytes(text: string, offsets: list<number>, encoding: string): list<number>
  if encoding ==# 'utf-8'
    return offsets
  endif
  var found: list<number> = []
  var unit = 0
  var byte = 0
  var next = 0
  for scalar in str2list(text, true)
    while next < len(offsets) && offsets[next] <= unit
      add(found, byte)
      next += 1
    endwhile
    unit += scalar > 0xffff && encoding ==# 'utf-16' ? 2 : 1
    byte += scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
  endfor
  return found + repeat([len(text)], len(offsets) - next)
enddef

# The daemon's edits with offsets in bytes: [start, end, newText], ascending.
export def Edits(source: string, edits: list<any>, encoding: string): list<list<any>>
  var offsets: list<number> = []
  for edit in edits
    extend(offsets, [edit.start, edit.end])
  endfor
  var bytes = inkling#text#Bytes(source, offsets, encoding)
  return mapnew(edits, (index, edit) => [bytes[2 * index], bytes[2 * index + 1], edit.newText])
enddef

# [line, byte] of an offset of a text that begins at such a place.
export def Position(source: string, place: list<number>, offset: number): list<number>
  var before = strpart(source, 0, offset)
  var line = count(before, "\n")
  return [place[0] + line, line == 0 ? place[1] + offset : offset - strridx(before, "\n") - 1]
enddef

# The offset, in lines that begin at such a place, of a line and a column that count from 1; at most their length.
export def Offset(lines: list<string>, place: list<number>, position: list<number>): number
  var index = position[0] - place[0]
  if index < 0
    return 0
  elseif index >= len(lines)
    return len(join(lines, "\n"))
  endif
  var before = index == 0 ? -place[1] : len(join(lines[: index - 1], "\n")) + 1
  return max([before + position[1] - 1, 0])
enddef

export def Edited(source: string, edits: list<list<any>>): string
  var parts: list<string> = []
  var position = 0
  for [start, end, text] in edits
    extend(parts, [strpart(source, position, start - position), text])
    position = end
  endfor
  return join(parts, '') .. strpart(source, position)
enddef

# Changes with nothing but blanks between them belong together: one of them alone would leave half a phrase.
export def Together(source: string, edits: list<list<any>>): list<list<any>>
  var joined: list<list<any>> = []
  for [start, end, text] in edits
    var between = empty(joined) ? '' : strpart(source, joined[-1][1], start - joined[-1][1])
    if !empty(joined) && between !~ '[^ \t]'
      joined[-1] = [joined[-1][0], end, joined[-1][2] .. between .. text]
    else
      add(joined, [start, end, text])
    endif
  endfor
  return mapnew(joined, (_, edit) => WithoutBlank(source, edit))
enddef

# Blanks at the end that both texts have stay where they are.
def WithoutBlank(source: string, edit: list<any>): list<any>
  var blank = matchstr(edit[2], '[ \t]*$')
  var same = matchstr(strpart(source, edit[0], edit[1] - edit[0]), '[ \t]*$') ==# blank
  return same ? [edit[0], edit[1] - len(blank), strpart(edit[2], 0, len(edit[2]) - len(blank))] : edit
enddef

def Words(text: string): list<string>
  return split(text, '\%(\k\+\|\s\+\|\n\|.\)\zs')
enddef

# The edits that make one text of another, by words: for drafts that come without any.
export def Difference(source: string, target: string): list<list<any>>
  var old = Words(source)
  var new = Words(target)
  var head = 0
  while head < len(old) && head < len(new) && old[head] ==# new[head]
    head += 1
  endwhile
  var tail = 0
  while tail < len(old) - head && tail < len(new) - head && old[-1 - tail] ==# new[-1 - tail]
    tail += 1
  endwhile
  var start = len(join(old[: head - 1], '')) * (head > 0 ? 1 : 0)
  old = slice(old, head, len(old) - tail)
  new = slice(new, head, len(new) - tail)
  if empty(old) && empty(new)
    return []
  elseif len(old) * len(new) > 90000
    return [[start, start + len(join(old, '')), join(new, '')]]
  endif
  return Common(old, new, start)
enddef

# Longest common subsequence of two lists of words, as edits of what is not in it.
def Common(old: list<string>, new: list<string>, offset: number): list<list<any>>
  var columns = len(new) + 1
  var table = repeat([0], (len(old) + 1) * columns)
  for row in range(len(old) - 1, 0, -1)
    for column in range(len(new) - 1, 0, -1)
      var here = row * columns + column
      table[here] = old[row] ==# new[column] ? table[here + columns + 1] + 1 :
        max([table[here + columns], table[here + 1]])
    endfor
  endfor
  var edits: list<list<any>> = []
  var byte = offset
  var row = 0
  var column = 0
  while row < len(old) || column < len(new)
    var end = byte
    var text = ''
    while (row < len(old) || column < len(new)) &&
        !(row < len(old) && column < len(new) && old[row] ==# new[column])
      var here = row * columns + column
      if row < len(old) && (column == len(new) || table[here + columns] >= table[here + 1])
        end += len(old[row])
        row += 1
      else
        text ..= new[column]
        column += 1
      endif
    endwhile
    if end > byte || text !=# ''
      add(edits, [byte, end, text])
    endif
    byte = end
    while row < len(old) && column < len(new) && old[row] ==# new[column]
      byte += len(old[row])
      row += 1
      column += 1
    endwhile
  endwhile
  return edits
enddef

# Lines as virtual text can show them: broken between words at the width, tabs as spaces.
export def Wrapped(text: string, width: number): list<string>
  var lines: list<string> = []
  for line in split(text, "\n", true)
    var row = ''
    var cells = 0
    for word in split(substitute(line, '\t', '    ', 'g'), '\s\+\zs\ze\S')
      var wide = strdisplaywidth(word)
      if cells > 0 && cells + wide > width
        add(lines, row)
        [row, cells] = ['', 0]
      endif
      row ..= word
      cells += wide
      while cells > width
        var fitting = matchstr(row, $'^.*\%<{width + 2}v')
        add(lines, fitting)
        row = strpart(row, len(fitting))
        cells = strdisplaywidth(row)
      endwhile
    endfor
    add(lines, row)
  endfor
  return lines
enddef

# A value while it is written, for people.
export def Outline(value: any, indent = ''): string
  if type(value) == v:t_dict
    return join(mapnew(keys(value), (_, key) => Member(key, value[key], indent)), "\n")
  elseif type(value) == v:t_list
    return join(mapnew(value, (_, item) => indent .. '- ' .. trim(inkling#text#Outline(item, indent .. '  '), ' ', 1)),
      "\n")
  endif
  return type(value) == v:t_string ? value : json_encode(value)
enddef

def Member(name: string, value: any, indent: string): string
  var nested = type(value) == v:t_dict || type(value) == v:t_list
  return $'{indent}{name}:' .. (nested ? "\n" : ' ') .. inkling#text#Outline(value, nested ? indent .. '  ' : '')
enddef
