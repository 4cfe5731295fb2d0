vim9script
# :InklingStatus and :InklingDoctor.

import autoload './connection.vim'
import autoload './prewarm.vim'
import autoload './report.vim'
import autoload './request.vim'

const METHODS = [
  'assistant/rephrase', 'assistant/summarize', 'assistant/brainstorm', 'assistant/chat', 'assistant/command',
  'assistant/prewarm', 'session/create', 'session/list', 'session/get', 'session/delete', 'model/status',
]

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
  var buffer = bufadd('inkling://doctor')
  bufload(buffer)
  for [option, value] in items({buftype: 'nofile', bufhidden: 'wipe', swapfile: false, buflisted: false})
    setbufvar(buffer, '&' .. option, value)
  endfor
  execute 'sbuffer' buffer
  silent deletebufline(buffer, 1, '$')
  setline(1, Editor() + Program())
  if connection.Running()
    connection.Request('model/status', {}, (reply) => Finish(buffer, reply))
  endif
enddef

def Editor(): list<string>
  var lines = [Line(has('patch-9.0.1000'), $'Vim {v:versionlong}; 9.0.1000 or newer is needed')]
  for feature in ['job', 'channel', 'textprop', 'popupwin', 'timers']
    add(lines, Line(has(feature), '+' .. feature))
  endfor
  add(lines, Line(&encoding ==# 'utf-8', $"'encoding' is {&encoding}; it must be utf-8"))
  for [key, mode] in [['gz', 'n'], ['gz', 'x'], ['gZ', 'n'], ['gzz', 'n']]
    var target = maparg(key, mode)
    add(lines, Line(true, $'{mode ==# "n" ? "Normal" : "Visual"} {key}: ' ..
      (target ==# '' ? 'not mapped' : target =~# '^<Plug>(inkling' ? 'Inkling' : 'your own mapping')))
  endfor
  return add(lines, Line(true, 'reading ahead: ' .. prewarm.Describe()))
enddef

def Program(): list<string>
  var command = connection.Describe().command
  var lines = [Line(executable(command[0]) == 1, $'the program “{command[0]}”: {exepath(command[0])}')]
  var ready = connection.Ready(3000)
  var seen = connection.Describe()
  if !ready
    return add(lines, Line(false, $'“{join(command)}” does not answer. {seen.complaint}'))
  endif
  var assistant = connection.Assistant()
  var version = get(assistant, 'protocolVersion', 0)
  var features = mapnew(request.Features(), (_, feature) => feature.id)
  var missing = filter(copy(METHODS), (_, method) => index(get(assistant, 'methods', []), method) < 0)
  return lines + [
    Line(true, $'“{join(command)}” answers: {seen.server.name} {get(seen.server, "version", "")}'),
    Line(version == 1, $'protocol {version}; this plugin knows 1'),
    Line(!empty(features), 'features: ' .. join(features, ', ')),
    Line(empty(missing), empty(missing) ? 'all methods are there' : 'not in this daemon: ' .. join(missing, ', ')),
    Line(true, 'offsets count ' .. connection.Encoding()),
  ]
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
