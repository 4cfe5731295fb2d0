vim9script
# Conversations that are kept on the disk: a list, from which one is gone on with or deleted.

import autoload './chat.vim'
import autoload './connection.vim'
import autoload './report.vim'

def Title(session: dict<any>): string
  var turns = session.turns == 1 ? '1 turn' : $'{session.turns} turns'
  return $"{session.updatedAt[: 9]}  {session.title ==# '' ? session.sessionId : session.title}  ({turns})"
enddef

def Ask(method: string, params: dict<any>, Then: func)
  connection.Request(method, params, (reply) => {
    if has_key(reply, 'error')
      report.Error(reply.error.message)
    else
      Then(reply.result)
    endif
  })
enddef

export def Show()
  Ask('session/list', {}, (result) => {
    # The latest first; those that are not kept have their buffers.
    var sessions = reverse(filter(copy(result.sessions), (_, session) => session.persisted))
    if empty(sessions)
      report.Note('no conversation is kept. :InklingChat! begins one that is.')
    else
      Menu(sessions)
    endif
  })
enddef

def Menu(sessions: list<dict<any>>)
  popup_menu(mapnew(sessions, (_, session) => Title(session)), {
    title: ' Conversations: <CR> goes on with one, d deletes it ', maxheight: &lines - 6,
    filter: (window, key) => {
      if key ==# 'd'
        var session = sessions[line('.', window) - 1]
        popup_close(window)
        Delete(session)
        return true
      endif
      return popup_filter_menu(window, key)
    },
    callback: (_, chosen) => {
      if chosen > 0
        Resume(sessions[chosen - 1])
      endif
    },
  })
enddef

def Resume(session: dict<any>)
  if !chat.Find(session.sessionId)
    Ask('session/get', {sessionId: session.sessionId}, (result) => chat.Resume(result.session, result.transcript))
  endif
enddef

def Delete(session: dict<any>)
  popup_menu(['Keep it', 'Delete it for good'], {
    title: $' {Title(session)} ',
    callback: (_, chosen) => {
      if chosen == 2
        Ask('session/delete', {sessionId: session.sessionId}, (_) => report.Note('the conversation was deleted.'))
      endif
    },
  })
enddef
