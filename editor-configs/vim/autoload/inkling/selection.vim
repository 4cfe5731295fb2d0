vim9script
# What a request is about: {buffer, kind, lines, first, last}. `first` is [line, byte], `last` the line and the byte
# after the end, both bytes from 0. The kind is char, line, block, or point when there is no text.

def Selection(kind: string, first: list<number>, last: list<number>, lines: list<string>): dict<any>
  return {buffer: bufnr(), kind: kind, first: first, last: last, lines: lines}
enddef

# The byte after the character at a column that counts from 1, with its combining marks.
def After(line: string, column: number): number
  return column > len(line) ? len(line) : column - 1 + len(matchstr(strpart(line, column - 1), '^.'))
enddef

export def Lines(first: number, last: number): dict<any>
  var lines = getline(first, last)
  return Selection('line', [first, 0], [last, len(lines[-1])], lines)
enddef

# Both positions are those of getpos(), and belong to the text unless the end is exclusive.
def Between(kind: string, one: list<number>, other: list<number>, exclusive: bool): dict<any>
  var [start, end] = one[1] < other[1] || one[1] == other[1] && one[2] <= other[2] ? [one, other] : [other, one]
  if kind ==# 'line'
    return inkling#selection#Lines(start[1], end[1])
  endif
  var lines = getline(start[1], end[1])
  var first = [start[1], min([start[2] - 1, len(lines[0])])]
  var beyond = exclusive ? min([end[2] - 1, len(lines[-1])]) : After(lines[-1], end[2])
  lines[-1] = strpart(lines[-1], 0, beyond)
  lines[0] = strpart(lines[0], first[1])
  return Selection('char', first, [end[1], beyond], lines)
enddef

# A block is what a yank of it would take; the register is left as it was.
def Block(visual: string): dict<any>
  var before = getreginfo('"')
  var selected = &selection
  set selection=inclusive
  execute 'silent noautocmd keepjumps normal! ' .. visual
  var lines = getreg('"', 1, true)
  &selection = selected
  setreg('"', before)
  return Selection('block', [line("'["), 0], [line("']"), len(getline("']"))], lines)
enddef

# From an operator: what lies between its marks.
export def Operated(type: string): dict<any>
  if type ==# 'block'
    return Block("`[\<C-v>`]y")
  endif
  return Between(type, getpos("'["), getpos("']"), false)
enddef

# What was selected last, exactly.
export def Visual(): dict<any>
  if visualmode() ==# "\<C-v>"
    return Block('gvy')
  endif
  return Between(visualmode() ==# 'V' ? 'line' : 'char', getpos("'<"), getpos("'>"), &selection ==# 'exclusive')
enddef

# What is selected now, without leaving Visual mode.
export def Now(): dict<any>
  var kind = mode() ==# 'V' ? 'line' : 'char'
  return Between(kind, getpos('v'), getpos('.'), &selection ==# 'exclusive')
enddef

export def Point(): dict<any>
  return Selection('point', [line('.'), 0], [line('.'), 0], [])
enddef

# The lines around the cursor up to the next blank ones.
export def Paragraph(): dict<any>
  var first = line('.')
  if getline(first) !~ '\S'
    return inkling#selection#Point()
  endif
  var last = first
  while first > 1 && getline(first - 1) =~ '\S'
    first -= 1
  endwhile
  while last < line('$') && getline(last + 1) =~ '\S'
    last += 1
  endwhile
  return inkling#selection#Lines(first, last)
enddef

# The range of a command. Vim gives lines only; when they are those of the last selection, that is meant, unless the
# person wrote the lines out.
export def Range(count: number, first: number, last: number): dict<any>
  if count == 0
    return inkling#selection#Paragraph()
  endif
  var typed = histget('cmd', -1) =~ '^\s*[%0-9.$]' && histget('cmd', -1) =~ '\<Inkling'
  if !typed && first == line("'<") && last == line("'>") && visualmode() !=# ''
    return inkling#selection#Visual()
  endif
  return inkling#selection#Lines(first, last)
enddef

export def Text(selection: dict<any>): string
  return join(selection.lines, "\n")
enddef
