vim9script
# Choosing a model, with the program itself: `inkling models` knows what lies on the disk and writes the configuration.

import autoload './connection.vim'
import autoload './report.vim'

# Runs the program without waiting for it; Then() gets its status, standard output and standard error.
def Run(arguments: list<string>, Then: func(number, string, string))
  var program = connection.Describe().command[0]
  if executable(program) == 0
    report.Error($'there is no program “{program}”. Install Inkling, or set g:inkling_command.')
    return
  endif
  var said = {out: '', err: '', status: 0, left: 2}
  var End = () => {
    said.left -= 1
    if said.left == 0
      Then(said.status, trim(said.out), trim(said.err))
    endif
  }
  job_start([program] + arguments, {
    in_io: 'null', out_mode: 'raw', err_mode: 'raw',
    out_cb: (_, text) => {
      said.out ..= text
    },
    err_cb: (_, text) => {
      said.err ..= text
    },
    close_cb: (_) => End(),
    exit_cb: (_, status) => {
      said.status = status
      End()
    },
  })
enddef

def List(Then: func(list<dict<any>>))
  Run(['models', 'list', '--json'], (status, out, err) => {
    if status != 0
      report.Error(err ==# '' ? 'the models could not be listed.' : err)
      return
    endif
    Then(json_decode(out).models)
  })
enddef

def Title(model: dict<any>): string
  var fits = {yes: '', tight: ', memory will be tight', no: ', does not fit into memory'}
  return $"{model.inUse ? '* ' : '  '}{model.name}  {model.sizeBytes / 1000000} MB{get(fits, model.fits, '')}"
enddef

export def Choose(name: string)
  if name ==# ''
    List(Menu)
  else
    Use(name)
  endif
enddef

def Menu(models: list<dict<any>>)
  if empty(models)
    report.Note('there is no model on this machine. “inkling models pull” fetches one.')
    return
  endif
  popup_menu(mapnew(models, (_, model) => Title(model)), {
    title: ' Model, * is the one in use ', maxheight: &lines - 6,
    callback: (_, chosen) => {
      if chosen > 0
        Use(models[chosen - 1].path)
      endif
    },
  })
enddef

def Use(name: string)
  Run(['models', 'use', name], (status, out, err) => {
    if status != 0
      report.Error(err ==# '' ? $'“{name}” could not be chosen.' : err)
      return
    endif
    # The program says which file it is, and from when on.
    report.Note(out)
    Run(['status', '--json'], OfferStop)
  })
enddef

# Status 0: a daemon runs.
def OfferStop(status: number, _: string, _: string)
  if status == 0
    popup_menu(['Leave it running', 'Stop it now: requests at work end, the next one starts it again'], {
      title: ' The daemon that runs keeps its model. ',
      callback: (_, chosen) => {
        if chosen == 2
          Run(['stop'], Stopped)
        endif
      },
    })
  endif
enddef

def Stopped(status: number, out: string, err: string)
  if status == 0
    report.Note(out)
  else
    report.Error(err)
  endif
enddef

# Completion has to wait for what there is.
export def Complete(lead: string): list<string>
  var found: list<string> = []
  var state = {done: false}
  List((models) => {
    extend(found, mapnew(models, (_, model) => model.name))
    state.done = true
  })
  var began = reltime()
  while !state.done && reltimefloat(reltime(began)) < 2
    sleep 5m
  endwhile
  return filter(found, (_, name) => stridx(name, lead) == 0)
enddef
