vim9script
# The keys of a buffer with a preview, while there is something to decide.

const DEFAULT_KEYS = {
  accept: '<CR>', hunk: 'gzh', reject: '<C-c>', next: 'gzn', retry: 'gzr', diff: 'gzd', edit: 'gze', yank: 'gzy',
  down: 'gzj', up: 'gzk',
}

# By buffer: the keys that are mapped, and the person's own mappings that they hide.
var mapped: dict<list<string>> = {}
var hidden: dict<list<dict<any>>> = {}

export def Keys(): dict<string>
  return extendnew(DEFAULT_KEYS, get(g:, 'inkling_preview_keys', {}))
enddef

# 'cpoptions' of the person may take `<CR>` for four characters.
export def Plainly(Do: func())
  var options = &cpoptions
  set cpoptions&vim
  try
    Do()
  finally
    &cpoptions = options
  endtry
enddef

# Mappings of a buffer can be made and removed only in it.
def Inside(buffer: number, command: string)
  if buffer == bufnr()
    execute command
  elseif !empty(win_findbuf(buffer))
    win_execute(win_findbuf(buffer)[0], command)
  elseif bufexists(buffer)
    execute $'autocmd inkling BufEnter <buffer={buffer}> ++once {command}'
  endif
enddef

export def Map(buffer: number)
  if !has_key(hidden, buffer)
    hidden[buffer] = []
    Inside(buffer, 'call inkling#keys#MapHere()')
  endif
enddef

export def Unmap(buffer: number)
  if has_key(hidden, buffer)
    Inside(buffer, 'call inkling#keys#UnmapHere()')
  endif
enddef

def Add()
  mapped[bufnr()] = []
  for [action, key] in items(inkling#keys#Keys())
    if key !=# ''
      var mapping = maparg(key, 'n', false, true)
      if get(mapping, 'buffer', 0)
        add(hidden[bufnr()], mapping)
      endif
      add(mapped[bufnr()], key)
      execute $'nnoremap <buffer> <silent> <nowait> {key} <Cmd>call inkling#Act("{action}")<CR>'
    endif
  endfor
enddef

def Remove()
  for key in remove(mapped, bufnr())
    execute $'silent! nunmap <buffer> {key}'
  endfor
  for mapping in remove(hidden, bufnr())
    mapset('n', false, mapping)
  endfor
enddef

export def MapHere()
  inkling#keys#Plainly(Add)
enddef

export def UnmapHere()
  inkling#keys#Plainly(Remove)
enddef
