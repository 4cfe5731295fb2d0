vim9script
# The one process of this Vim that speaks with the daemon: started at the first request, and again by the next one
# when it has ended. Vim's channel mode `lsp` does the framing and finds the callback of a reply.
#
# Here and in all other files, functions that are exported are called by their full names also where they are defined:
# by the short name Vim would take a person's global function of the same name for them.

var process: job
var state = 'stopped'  # then 'starting' until `initialize` is answered, then 'ready'
var complaint = ''  # the last line of the process's standard error
var agreed: dict<any> = {}  # capabilities.experimental.assistant, kept while the process is not there
var units = 'utf-8'
var server: dict<any> = {}
var availability: dict<any> = {}

# What is asked and not yet answered, by handle: {id, method, Callback}; id is 0 while the handshake is under way.
var pending: dict<dict<any>> = {}
var queue: list<dict<any>> = []
var last_handle = 0
var listeners: dict<func> = {}

def Command(): list<string>
  return get(g:, 'inkling_command', ['inkling', 'connect'])
enddef

export def Start(): bool
  if state !=# 'stopped'
    return true
  endif
  var command = Command()
  complaint = ''
  if executable(command[0]) == 0
    complaint = $'there is no program “{command[0]}”. Install Inkling, or set g:inkling_command.'
    return false
  endif
  process = job_start(command, {
    in_mode: 'lsp', out_mode: 'lsp', err_mode: 'nl', noblock: 1, stoponexit: 'term',
    out_cb: Receive,
    err_cb: (_, line) => {
      complaint = line
    },
    close_cb: (channel) => Ended(channel),
    # A process that outlives this one may hold the pipes open, and then they never close.
    exit_cb: (ended, _) => {
      timer_start(200, (_) => Ended(job_getchannel(ended)))
    },
  })
  if job_status(process) ==# 'fail'
    complaint = $'“{join(command)}” could not be started.'
    return false
  endif
  state = 'starting'
  Write({
    method: 'initialize',
    params: {
      processId: getpid(),
      clientInfo: {name: 'Vim', version: $'{v:version / 100}.{v:version % 100}.{v:versionlong % 10000}'},
      capabilities: {
        general: {positionEncodings: ['utf-8', 'utf-16']},
        experimental: {assistant: {}},
      },
    },
  }, {callback: Initialized})
  return true
enddef

# Gives the id of a request. A process may have gone while nobody has been told: Ended() comes next.
def Write(message: dict<any>, options: dict<any> = {}): number
  var sent: any = {}
  try
    sent = ch_sendexpr(process, message, options)
  catch /^Vim\%((\a\+)\)\=:E63[01]:/
  endtry
  return type(sent) == v:t_dict ? get(sent, 'id', 0) : 0
enddef

def Initialized(channel: channel, reply: dict<any>)
  if state !=# 'starting' || channel != job_getchannel(process)
    return
  endif
  if has_key(reply, 'error')
    complaint = reply.error.message
    job_stop(process)
    return
  endif
  var capabilities = reply.result.capabilities
  units = capabilities.positionEncoding
  agreed = capabilities.experimental.assistant
  server = reply.result.serverInfo
  state = 'ready'
  Write({method: 'initialized', params: {}})
  var messages = queue
  queue = []
  for message in messages
    Send(message)
  endfor
enddef

# All that was asked of a process that has gone is answered with an error.
def Ended(channel: channel)
  if state ==# 'stopped' || channel != job_getchannel(process)
    return
  endif
  var was_ready = state ==# 'ready'
  state = 'stopped'
  queue = []
  availability = {}
  var orphans = pending
  pending = {}
  listeners = {}
  var why = was_ready ? 'its process ended; the next request starts it again.' : 'it could not be started.'
  for entry in values(orphans)
    entry.Callback({error: {code: 0, message: empty(complaint) ? why : why .. ' It said: ' .. complaint}})
  endfor
enddef

def Receive(channel: channel, message: dict<any>)
  var method = get(message, 'method', '')
  if method ==# '$/progress'
    var token = string(message.params.token)
    if has_key(listeners, token)
      listeners[token](message.params.value)
    endif
  elseif method ==# 'assistant/didChangeConfiguration'
    extend(agreed, message.params)
  elseif method ==# 'model/didChangeAvailability'
    availability = message.params.availability
    redrawstatus!
  elseif has_key(message, 'id')
    # `tool/call`: sessions of this plugin name no tools, but a persisted one of another client may have some.
    # ch_sendexpr() takes no id that is a string.
    var body = json_encode({jsonrpc: '2.0', id: message.id, error: {code: -32601, message: 'Vim runs no tools.'}})
    ch_sendraw(channel, $"Content-Length: {len(body)}\r\n\r\n{body}")
  endif
enddef

def Send(message: dict<any>)
  var body = {method: message.method, params: message.params}
  if message.handle == 0
    Write(body)
  elseif has_key(pending, message.handle)
    var handle = message.handle
    pending[handle].id = Write(body, {callback: (_, reply) => Answered(handle, reply)})
  endif
enddef

def Answered(handle: number, reply: dict<any>)
  if has_key(pending, handle)
    remove(pending, handle).Callback(reply)
  endif
enddef

# Asks, and calls back with {result} or {error} exactly once, unless Cancel() comes first. Gives a handle for that.
export def Request(method: string, params: dict<any>, Callback: func): number
  last_handle += 1
  var handle = last_handle
  pending[handle] = {id: 0, method: method, Callback: Callback}
  if !inkling#connection#Start()
    timer_start(0, (_) => Answered(handle, {error: {code: 0, message: complaint}}))
    return handle
  endif
  Post({handle: handle, method: method, params: params})
  return handle
enddef

export def Notify(method: string, params: dict<any>)
  if state !=# 'stopped'
    Post({handle: 0, method: method, params: params})
  endif
enddef

def Post(message: dict<any>)
  if state ==# 'ready'
    Send(message)
  else
    add(queue, message)
  endif
enddef

# The request is not heard of again, whatever still comes of it.
export def Cancel(handle: number)
  if has_key(pending, handle)
    var id = remove(pending, handle).id
    if id != 0
      inkling#connection#Notify('$/cancelRequest', {id: id})
    endif
  endif
enddef

export def Listen(token: string, Listener: func(dict<any>))
  listeners[string(token)] = Listener
enddef

export def Forget(token: string)
  if has_key(listeners, string(token))
    remove(listeners, string(token))
  endif
enddef

# Ends the process without waiting for it.
export def Stop()
  if state !=# 'stopped'
    pending = {}
    queue = []
    if state ==# 'ready'
      Write({method: 'shutdown'}, {callback: (_, _) => 0})
      Write({method: 'exit'})
    endif
    state = 'stopped'
    ch_close_in(process)
  endif
enddef

# Waits for the handshake, which the daemon answers at once; for completion and menus.
export def Ready(milliseconds = 1000): bool
  var began = reltime()
  if inkling#connection#Start()
    while state ==# 'starting' && reltimefloat(reltime(began)) * 1000 < milliseconds
      sleep 5m
    endwhile
  endif
  return state ==# 'ready'
enddef

export def Running(): bool
  return state ==# 'ready'
enddef

export def Assistant(): dict<any>
  return agreed
enddef

export def Encoding(): string
  return units
enddef

# For the status line and the health check.
export def Describe(): dict<any>
  return {state: state, command: Command(), complaint: complaint, server: server, availability: availability}
enddef
