vim9script
# :InklingStatus and :InklingDoctor.

import autoload './connection.vim'
import autoload './report.vim'
import autoload './request.vim'

def Megabytes(bytes: any): string
  return type(bytes) == v:t_number ? $'{bytes / 1000000} MB' : 'none'
enddef

def Model(status: dict<any>): list<string>
  var availability = status.availability
  var lines = ['model: ' .. (type(status.model) == v:t_dict ? status.model.name : 'not loaded') ..
    $' ({availability.state})']
  if availability.state ==# 'unavailable'
    extend(lines, filter([get(availability, 'message', ''), get(availability, 'remedy', '')], (_, text) => text !=# ''))
  endif
  return add(lines, $'requests: {status.activeRequests} at work, {status.queuedRequests} waiting')
enddef

def Describe(status: dict<any>): list<string>
  var clients = mapnew(status.clients, (_, client) => type(client.name) == v:t_string ? client.name : 'unnamed')
  return Model(status.model) + [
    $'daemon: version {status.version}, for {status.uptimeSeconds / 60} minutes',
    $'memory: daemon {Megabytes(status.memory.daemonBytes)}, engine {Megabytes(status.memory.engineBytes)}',
    $'clients: {join(clients, ", ")}',
  ]
enddef

# Any key closes it, and does what it does but for these two.
def Close(window: number, key: string): bool
  popup_close(window)
  return key ==# "\<Esc>" || key ==# 'q'
enddef

export def Status()
  connection.Request('daemon/status', {}, ShowStatus)
enddef

def ShowStatus(reply: dict<any>)
  if has_key(reply, 'error')
    report.Error(reply.error.message)
    return
  endif
  var lines = Describe(reply.result)
  var told = report.Latest()
  if !empty(told)
    extend(lines, ['', 'told lately:'] + mapnew(told, (_, message) => '  ' .. tr(message, "\n", ' ')))
  endif
  popup_create(lines, {
    title: ' Inkling ', border: [], padding: [0, 1, 0, 1], close: 'click', moved: 'any', maxwidth: &columns - 8,
    maxheight: &lines - 6, filter: Close,
  })
enddef

def Line(good: bool, text: string): string
  return (good ? 'ok    ' : 'WRONG ') .. text
enddef

# A buffer that says what works and what does not.
export def Check()
  new
  setlocal buftype=nofile bufhidden=wipe noswapfile nobuflisted
  silent! file inkling://doctor
  var buffer = bufnr()
  var lines = [Line(has('patch-9.0.1000'), $'Vim {v:versionlong}; 9.0.1000 or newer is needed')]
  for feature in ['job', 'channel', 'textprop', 'popupwin', 'timers']
    add(lines, Line(has(feature), '+' .. feature))
  endfor
  add(lines, Line(&encoding ==# 'utf-8', $"'encoding' is {&encoding}; it must be utf-8"))
  var command = connection.Describe().command
  add(lines, Line(executable(command[0]) == 1, $'the program “{command[0]}”: {exepath(command[0])}'))
  var ready = connection.Ready(3000)
  var seen = connection.Describe()
  add(lines, Line(ready, ready ? $'“{join(command)}” answers: {seen.server.name} {get(seen.server, "version", "")}'
    : $'“{join(command)}” does not answer. {seen.complaint}'))
  if ready
    var features = mapnew(request.Features(), (_, feature) => feature.id)
    add(lines, Line(!empty(features), 'features: ' .. join(features, ', ')))
    add(lines, Line(true, 'offsets count ' .. connection.Encoding()))
    connection.Request('model/status', {}, (reply) => Finish(buffer, reply))
  endif
  setline(1, lines)
enddef

def Finish(buffer: number, reply: dict<any>)
  if !bufloaded(buffer)
    return
  endif
  if has_key(reply, 'error')
    appendbufline(buffer, '$', Line(false, reply.error.message))
    return
  endif
  # A model that is not in memory is loaded by the next request: nothing is wrong then.
  var availability = reply.result.availability
  var good = availability.state !=# 'unavailable' || get(availability, 'reason', '') ==# 'unloaded'
  appendbufline(buffer, '$', mapnew(Model(reply.result), (_, line) => Line(good, line)))
enddef
