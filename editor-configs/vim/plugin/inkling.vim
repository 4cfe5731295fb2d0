vim9script
# Inkling, a private writing assistant: commands, keys and what Vim tells the plugin. All else is loaded when used.

if exists('g:loaded_inkling') || !has('channel') || !has('job') || !has('textprop') || !has('popupwin')
  finish
endif
g:loaded_inkling = 1

command! -bang -range -nargs=* -complete=customlist,inkling#Complete Inkling {
  inkling#Run(<q-args>, <bang>false, <range>, <line1>, <line2>)
}
command! -bang InklingStop inkling#Stop(<bang>false)
command! InklingStatus inkling#doctor#Status()
command! InklingDoctor inkling#doctor#Check()
command! -nargs=? -complete=customlist,inkling#CompleteVoice InklingVoice inkling#Voice(<q-args>)
command! -bang InklingChat inkling#Chat(<bang>false)
command! InklingSessions inkling#Sessions()
command! -nargs=? -complete=customlist,inkling#CompleteModel InklingModel inkling#Model(<q-args>)

# <Plug>(inkling) takes the words of g:inkling_operator, by default those of a rephrase.
for [name, words] in items({
    '': "get(g:, 'inkling_operator', 'rephrase')", '-menu': "''", '-summarize': "'summarize'",
    '-brainstorm': "'brainstorm'"})
  execute $'nnoremap <expr> <Plug>(inkling{name}) inkling#Operator({words})'
  execute $'xnoremap <expr> <Plug>(inkling{name}) inkling#Operator({words})'
endfor
nnoremap <expr> <Plug>(inkling-line) inkling#Operator(get(g:, 'inkling_operator', 'rephrase')) .. '_'
nnoremap <Plug>(inkling-stop) <Cmd>InklingStop<CR>

if get(g:, 'inkling_mappings', true)
  for [modes, key, target] in [['nx', 'gz', ''], ['nx', 'gZ', '-menu'], ['n', 'gzz', '-line']]
    for mode in modes
      if maparg(key, mode) ==# '' && !hasmapto($'<Plug>(inkling{target})', mode)
        execute $'{mode}map {key} <Plug>(inkling{target})'
      endif
    endfor
  endfor
endif

def Colours()
  highlight default InklingSource term=underline cterm=underline gui=underline
  highlight default link InklingText String
  highlight default link InklingHint Comment
  highlight default link InklingWarning WarningMsg
  highlight default link InklingRemoved DiffDelete
  highlight default link InklingAdded DiffAdd
enddef
Colours()
prop_type_add('inkling_removed', {highlight: 'InklingRemoved'})
prop_type_add('inkling_added', {highlight: 'InklingAdded'})

augroup inkling
  autocmd!
  autocmd ColorScheme * Colours()
  if get(g:, 'inkling_connect_early', false)
    autocmd ModeChanged *:[vV] ++once inkling#Early()
  endif
augroup END
