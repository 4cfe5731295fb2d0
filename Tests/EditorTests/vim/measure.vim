vim9script
# From the key to the first word that can be seen, in milliseconds, with a daemon that has its model in memory.

const TEXTS = [
  "gonna be late tmrw, train's broken again so can u start without me",
  'the ferry was super full and the sea was kinda rough but nobody complained',
  "can u send me the numbers for march asap, the boss keeps asking about em",
  "sorry but i cant come to the party cuz my kid is sick and i gotta stay home",
  'pls check if the heater is off b4 you leave, last time it ran all night',
]

def Once(text: string, rest: number): number
  g:Buffer([text])
  feedkeys('gg0v$h', 'xt')
  execute $'sleep {rest}m'
  var began = reltime()
  feedkeys('gz', 'xt')
  while inkling#Status() !=# 'Inkling: writing'
    sleep 1m
  endwhile
  redraw
  var elapsed = float2nr(reltimefloat(reltime(began)) * 1000)
  InklingStop!
  return elapsed
enddef

def g:Test_real_measure()
  g:inkling_command = [$INKLING_BINARY, 'connect']
  g:inkling_prewarm = false
  Once('this is how it begins', 1)
  var cold = mapnew(TEXTS, (_, text) => Once(text, 700))
  g:inkling_prewarm = true
  var warm = mapnew(TEXTS, (_, text) => Once(text .. ' ok', 2500))
  writefile([$'warm daemon: median {sort(cold, 'n')[2]} ms of {cold}',
    $'prewarmed: median {sort(warm, 'n')[2]} ms of {warm}'], $TEST_FOLDER .. '/figures')
enddef
