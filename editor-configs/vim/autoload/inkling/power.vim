vim9script
# Whether the machine runs on its battery: what is read ahead in vain costs some of it.

const KEPT_SECONDS = 30
var asked: list<any> = []
var answer = false

# Some files there cannot be read at times.
def Value(path: string): string
  var lines: list<string> = []
  try
    lines = readfile(path, '', 1)
  catch /^Vim\%((\a\+)\)\=:E/
  endtry
  return get(lines, 0, '')
enddef

# As Linux tells: a charger that is plugged in decides; a battery of a mouse or a pen does not count.
def Linux(folder: string): bool
  var battery = false
  var unplugged = false
  for supply in readdir(folder)
    var path = $'{folder}/{supply}/'
    if Value(path .. 'type') !=# 'Battery'
      var online = Value(path .. 'online')
      if online !=# '' && online !=# '0'
        return false
      endif
      unplugged = unplugged || online ==# '0'
    elseif Value(path .. 'scope') !=# 'Device'
      battery = true
      unplugged = unplugged || Value(path .. 'status') ==# 'Discharging'
    endif
  endfor
  return battery && unplugged
enddef

export def OnBattery(): bool
  if empty(asked) || reltimefloat(reltime(asked)) > KEPT_SECONDS
    asked = reltime()
    var folder = get(g:, 'inkling_power_supply', '/sys/class/power_supply')
    if isdirectory(folder)
      answer = Linux(folder)
    else
      answer = executable('pmset') == 1 && system('pmset -g batt') =~# 'Battery Power'
    endif
  endif
  return answer
enddef
