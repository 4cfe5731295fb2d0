vim9script
# A conversation in a buffer of its own: a session of the daemon. The last line is for writing, <CR> sends it.

import autoload './connection.vim'
import autoload './keys.vim'
import autoload './report.vim'
import autoload './text.vim' as texts

# By buffer: {session, kept, turns, handle, message, shown, units, line, token, before}. `line` is where the answer
# that is being written begins; `turns` are [message, answer, first line], to show, to take back, and to tell a new
# daemon.
var chats: dict<dict<any>> = {}
var last_token = 0

# `kept`: the conversation is written to the disk, and outlives the buffer. Else there is one at a time.
export def Open(kept: bool)
  for chat in values(chats)
    if !kept && !chat.kept && bufloaded(chat.buffer)
      execute 'sbuffer' chat.buffer
      return
    endif
  endfor
  Begin(kept ? $'inkling://chat/{last_token + 1}' : 'inkling://chat', kept)
  startinsert
enddef

def Begin(name: string, kept: bool): dict<any>
  new
  setlocal buftype=prompt bufhidden=hide noswapfile nobuflisted wrap linebreak
  execute 'silent! file' fnameescape(name)
  var buffer = bufnr()
  chats[buffer] = {
    buffer: buffer, session: '', turns: [], handle: 0, message: '', shown: '', units: 0, line: 0, again: 0, before: [],
    kept: kept,
  }
  prompt_setprompt(buffer, '> ')
  prompt_setcallback(buffer, (message) => inkling#chat#Say(buffer, message))
  prompt_setinterrupt(buffer, () => inkling#chat#Stop(buffer))
  keys.Plainly(() => {
    nnoremap <buffer> <silent> <nowait> gzr <Cmd>call inkling#chat#Retry(bufnr())<CR>
    nnoremap <buffer> <silent> <nowait> gzu <Cmd>call inkling#chat#Undo(bufnr())<CR>
    nnoremap <buffer> <silent> <nowait> <C-c> <Cmd>call inkling#chat#Stop(bufnr())<CR>
  })
  setlocal nomodified
  return chats[buffer]
enddef

# Goes to the buffer of a session; false when it has none.
export def Find(session: string): bool
  for chat in values(chats)
    if chat.session ==# session && bufloaded(chat.buffer)
      execute 'sbuffer' chat.buffer
      return true
    endif
  endfor
  return false
enddef

# Goes on with a session that is kept. A turn of a session has one prompt, and its last response is the answer.
export def Resume(session: dict<any>, transcript: list<dict<any>>)
  var chat = Begin($'inkling://chat/{session.sessionId}', true)
  chat.session = session.sessionId
  var lines: list<string> = []
  for entry in transcript
    if entry.role ==# 'prompt'
      add(chat.turns, [entry.text, '', len(lines) + 1])
      add(lines, '> ' .. tr(entry.text, "\n", ' '))
    elseif entry.role ==# 'response' && !empty(chat.turns)
      chat.turns[-1][1] = get(entry, 'text', '')
      extend(lines, split(chat.turns[-1][1], "\n", true) + [''])
    endif
  endfor
  appendbufline(chat.buffer, 0, lines)
  normal! G
  setlocal nomodified
  startinsert!
enddef

export def Say(buffer: number, message: string)
  var chat = chats[buffer]
  # Vim has put a new prompt below the line that was sent.
  var sent = getbufinfo(buffer)[0].linecount - 1
  if message !~ '\S' || chat.handle != 0
    deletebufline(buffer, sent)
    if chat.handle != 0
      report.Note('an answer is being written. Stop it with CTRL-C.')
    endif
    return
  endif
  appendbufline(buffer, sent, ['', ''])
  Ask(chat, message, sent, {message: message})
enddef

# The lines are the question, the answer and a blank one, the prompt follows.
def Ask(chat: dict<any>, message: string, line: number, params: dict<any>)
  last_token += 1
  var token = $'chat-{last_token}'
  extend(chat, {message: message, line: line + 1, shown: '', units: 0, token: token, count: 1, params: params,
    before: []})
  connection.Listen(token, (value) => Partial(chat, value))
  if chat.session ==# ''
    Create(chat)
  else
    Send(chat)
  endif
enddef

def Send(chat: dict<any>)
  var params = extendnew(chat.params, {sessionId: chat.session, partialResultToken: chat.token})
  chat.handle = connection.Request('assistant/chat', params, (reply) => Answered(chat, reply))
  redrawstatus!
enddef

# A new session hears what was said, so that a conversation outlives its daemon.
def Create(chat: dict<any>)
  var params: dict<any> = {
    title: strcharpart(get(get(chat.turns, 0, []), 0, chat.message), 0, 60), contextPolicy: 'slidingWindow',
    persist: chat.kept, transcript: [],
  }
  if get(g:, 'inkling_voice', '') !=# ''
    params.personality = g:inkling_voice
  endif
  for [message, answer, _] in chat.turns
    extend(params.transcript, [{role: 'prompt', text: message}, {role: 'response', text: answer}])
  endfor
  chat.handle = connection.Request('session/create', params, (reply) => {
    if has_key(reply, 'error')
      Failed(chat, reply.error.message)
    else
      chat.session = reply.result.session.sessionId
      Warn(reply.result)
      Send(chat)
    endif
  })
enddef

def Partial(chat: dict<any>, value: dict<any>)
  if value.kind ==# 'text' && chat.handle != 0
    var encoding = connection.Encoding()
    if value.offset < chat.units
      chat.shown = strpart(chat.shown, 0, texts.Bytes(chat.shown, [value.offset], encoding)[0])
    endif
    chat.shown ..= value.delta
    chat.units = value.offset + texts.Units(value.delta, encoding)
    Write(chat, chat.shown)
  endif
enddef

def Write(chat: dict<any>, text: string)
  if !bufloaded(chat.buffer)
    return
  endif
  var lines = split(text, "\n", true)
  if len(lines) > chat.count
    appendbufline(chat.buffer, chat.line + chat.count - 1, repeat([''], len(lines) - chat.count))
  elseif len(lines) < chat.count
    deletebufline(chat.buffer, chat.line + len(lines), chat.line + chat.count - 1)
  endif
  chat.count = max([len(lines), 1])
  setbufline(chat.buffer, chat.line, lines)
enddef

def Answered(chat: dict<any>, reply: dict<any>)
  if has_key(reply, 'error')
    # The daemon has gone, and the session with it: another one is told what was said, once.
    if get(get(reply.error, 'data', {}), 'kind', '') ==# 'sessionNotFound' && chat.again < 1
      chat.again += 1
      chat.session = ''
      chat.params = {message: chat.message}
      Create(chat)
      return
    endif
    Failed(chat, reply.error.message)
    return
  endif
  End(chat)
  chat.again = 0
  var answer = reply.result.text
  add(chat.turns, [chat.message, answer, chat.line - 1])
  Write(chat, answer)
  Warn(reply.result)
enddef

def Warn(result: dict<any>)
  var warnings = get(result, 'warnings', [])
  if !empty(warnings)
    report.Warning(join(mapnew(warnings, (_, warning) => warning.message), "\n"))
  endif
enddef

def End(chat: dict<any>)
  chat.handle = 0
  connection.Forget(chat.token)
  redrawstatus!
enddef

# What was shown is void; so is the question.
def Failed(chat: dict<any>, message: string)
  Withdraw(chat)
  report.Error(message)
enddef

# A retry that comes to nothing leaves the answer that was there, as the daemon does.
def Withdraw(chat: dict<any>)
  End(chat)
  if empty(chat.before)
    Remove(chat, chat.line - 1)
  else
    Write(chat, chat.before[1])
    add(chat.turns, chat.before)
  endif
enddef

# From a question to the line before the prompt.
def Remove(chat: dict<any>, line: number)
  if bufloaded(chat.buffer)
    deletebufline(chat.buffer, line, getbufinfo(chat.buffer)[0].linecount - 1)
  endif
enddef

export def Stop(buffer: number)
  var chat = get(chats, buffer, {})
  if !empty(chat) && chat.handle != 0
    connection.Cancel(chat.handle)
    Withdraw(chat)
  endif
enddef

export def Retry(buffer: number)
  var chat = chats[buffer]
  if chat.handle == 0 && !empty(chat.turns)
    var turn = remove(chat.turns, -1)
    var [message, _, line] = turn
    Remove(chat, line + 1)
    appendbufline(buffer, line, ['', ''])
    Ask(chat, message, line, chat.session ==# '' ? {message: message} : {retry: true})
    chat.before = turn
  endif
enddef

export def Undo(buffer: number)
  var chat = chats[buffer]
  if chat.handle == 0 && !empty(chat.turns)
    Remove(chat, remove(chat.turns, -1)[2])
    if chat.session ==# ''
      return
    endif
    # A session that has gone meanwhile is told what is left with the next message.
    connection.Request('session/rewind', {sessionId: chat.session, turns: 1}, (reply) => {
      chat.session = has_key(reply, 'error') ? '' : chat.session
    })
  endif
enddef

export def Voice(name: string)
  for chat in values(chats)
    if chat.session !=# ''
      connection.Request('session/update', {sessionId: chat.session, personality: name, keepHistory: true}, (reply) => {
        if has_key(reply, 'error')
          report.Error(reply.error.message)
        endif
      })
    endif
  endfor
enddef

export def Gone(buffer: number)
  if has_key(chats, buffer)
    inkling#chat#Stop(buffer)
    var chat = remove(chats, buffer)
    if chat.session !=# '' && !chat.kept && connection.Running()
      connection.Request('session/delete', {sessionId: chat.session}, (_) => 0)
    endif
  endif
enddef

export def Writing(): bool
  return !empty(filter(values(chats), (_, chat) => chat.handle != 0))
enddef
