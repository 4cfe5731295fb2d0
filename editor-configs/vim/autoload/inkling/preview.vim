vim9script
# What is seen of a task: its source highlighted, the answer below it as virtual text (in a popup when it is long), a
# line of hints. The buffer's text is not touched.

import autoload './region.vim'
import autoload './text.vim'

const ROLES = {text: 'InklingText', hint: 'InklingHint', warning: 'InklingWarning', change: 'InklingRemoved'}
var drawer = 0
var drawer_task = 0

# Property types of a task's own: undo brings properties back with the text of lines, and those whose type is gone are
# not seen.
def Type(task: dict<any>, role: string): string
  return $'inkling_{role}_{task.id}'
enddef

export def Prepare(task: dict<any>)
  for [role, group] in items(ROLES)
    prop_type_add(Type(task, role), {bufnr: task.buffer, highlight: group, priority: role ==# 'change' ? 1 : 0})
  endfor
enddef

def LastLine(task: dict<any>): number
  var place = region.Place(task)
  return empty(place) ? 0 : min([place[0] + max([len(task.lines), 1]) - 1,
    get(get(getbufinfo(task.buffer), 0, {}), 'linecount', 1)])
enddef

# Nothing is shown of the task but where its text is.
export def Clear(task: dict<any>)
  if bufloaded(task.buffer)
    for role in keys(ROLES)
      prop_remove({type: Type(task, role), bufnr: task.buffer, all: true})
    endfor
  endif
enddef

def Window(task: dict<any>): number
  if task.buffer == bufnr()
    return win_getid()
  endif
  return get(filter(win_findbuf(task.buffer), (_, window) => win_id2tabwin(window)[0] == tabpagenr()), 0, 0)
enddef

# `rows` is a list of [role, text].
export def Show(task: dict<any>, rows: list<list<string>>)
  inkling#preview#Clear(task)
  if !bufloaded(task.buffer)
    return
  endif
  var window = Window(task)
  var info = get(getwininfo(window), 0, {})
  var width = empty(info) ? &columns - 8 : info.width - info.textoff - 2
  var limit = get(g:, 'inkling_preview_lines', 12)
  var line = LastLine(task)
  var folded = !empty(info) && line > 0 && Folded(window, line)
  var shown: list<list<string>> = []
  var long = line == 0 || folded || task.diff
  for [role, content] in rows
    if !long && len(content) <= width * limit
      extend(shown, mapnew(text.Wrapped(content, max([width, 20])), (_, row) => [role, row]))
    elseif role ==# 'text'
      long = true
    endif
  endfor
  if long || len(shown) > limit + 4
    ShowDrawer(task, rows, window)
    return
  endif
  HideDrawer(task)
  for [role, row] in shown
    # Empty virtual text is not drawn.
    prop_add(line, 0, {
      type: Type(task, role), bufnr: task.buffer, text: empty(row) ? ' ' : row, text_align: 'below',
    })
  endfor
enddef

def Folded(window: number, line: number): bool
  return trim(win_execute(window, $'echo foldclosed({line})')) !=# '-1'
enddef

# A popup at the edge of the screen that is farther from the source.
def ShowDrawer(task: dict<any>, rows: list<list<string>>, window: number)
  if window == 0
    HideDrawer(task)
    return
  endif
  var lines: list<dict<any>> = []
  var hint = ''
  for [role, content] in rows
    if role ==# 'hint'
      hint = content
      continue
    endif
    # While much text arrives only its end is looked at.
    var running = task.state ==# 'running'
    for row in split(running ? strpart(content, max([0, len(content) - 8000])) : content, "\n", true)
      add(lines, {text: row, props: []})
    endfor
  endfor
  if task.diff
    lines = Difference(join(task.lines, "\n"), task.difference)
    MarkChanges(task)
  endif
  if drawer == 0 || empty(popup_getpos(drawer))
    drawer = popup_create('', {
      border: [], borderchars: ['─', '│', '─', '│', '┌', '┐', '┘', '└'],
      padding: [0, 1, 0, 1], scrollbar: 1,
      borderhighlight: ['InklingHint'], highlight: 'Normal', mapping: false, zindex: 40,
    })
    win_execute(drawer, 'setlocal linebreak')
  endif
  drawer_task = task.id
  popup_settext(drawer, lines)
  var low = screenpos(window, max([LastLine(task), 1]), 1).row > &lines / 2
  var width = &columns - 6
  popup_setoptions(drawer, {
    title: $' {hint} ', minwidth: width, maxwidth: width, maxheight: &lines / 2 - 3,
    line: low ? 1 : &lines - &cmdheight - 1, col: 1, pos: low ? 'topleft' : 'botleft',
    firstline: task.state ==# 'running' ? max([1, len(lines) - &lines / 2 + 4]) : 1,
  })
enddef

def HideDrawer(task: dict<any>)
  if drawer != 0 && drawer_task == task.id
    popup_close(drawer)
    drawer = 0
  endif
enddef

export def Scroll(rows: number)
  if drawer != 0
    var position = popup_getpos(drawer)
    popup_setoptions(drawer, {firstline: max([1, position.firstline + rows])})
  endif
enddef

# The text with what was left out and put in, as lines of a popup.
def Difference(source: string, edits: list<list<any>>): list<dict<any>>
  var lines: list<dict<any>> = [{text: '', props: []}]
  var position = 0
  for [start, end, new] in edits + [[len(source), len(source), '']]
    for [group, part] in [['', strpart(source, position, start - position)],
        ['removed', strpart(source, start, end - start)], ['added', new]]
      for [index, piece] in items(split(part, "\n", true))
        if index > 0
          add(lines, {text: '', props: []})
        endif
        if group !=# '' && piece !=# ''
          add(lines[-1].props, {col: len(lines[-1].text) + 1, length: len(piece), type: 'inkling_' .. group})
        endif
        lines[-1].text ..= piece
      endfor
    endfor
    position = end
  endfor
  return lines
enddef

# In the text itself, what is to be left out: these are the places of single changes.
def MarkChanges(task: dict<any>)
  var place = region.Unchanged(task)
  if empty(place)
    return
  endif
  var source = join(task.lines, "\n")
  for [start, end, _] in task.difference
    var [from, to] = [text.Position(source, place, start), text.Position(source, place, end)]
    if start < end
      prop_add(from[0], from[1] + 1, {
        type: Type(task, 'change'), bufnr: task.buffer, end_lnum: to[0], end_col: to[1] + 1,
      })
    endif
  endfor
enddef

export def Hide(task: dict<any>)
  HideDrawer(task)
  if bufloaded(task.buffer)
    inkling#preview#Clear(task)
    region.Forget(task)
    for role in keys(ROLES)
      prop_type_delete(Type(task, role), {bufnr: task.buffer})
    endfor
  endif
enddef
