vim9script
# Turns what a person wants, {feature, tone, style, …}, into a method and its parameters.

import autoload './connection.vim'

const LANGUAGES = {
  '': 'plaintext', text: 'plaintext', tex: 'latex', plaintex: 'latex', sh: 'shellscript', cs: 'csharp',
  objc: 'objective-c', ps1: 'powershell',
}
const FORMATS = {markdown: 'markdown', org: 'org', tex: 'latex', plaintex: 'latex'}
const SECRETS = [
  '.env', '.env.*', '*.env', '*.pem', '*.key', 'id_*', '*.gpg', '*.pgp', '*.asc', '*.kdbx', '*.p12', '*.pfx',
  '*credentials*', '*secret*', '.netrc', '.pgpass', '.htpasswd',
]
export const STYLES = ['sentences', 'bullets', 'headline']
# Features that take arguments of their own; all others are commands of the configuration.
export const BUILT_IN = ['rephrase', 'summarize', 'brainstorm']

export def Feature(id: string): dict<any>
  return get(filter(copy(get(connection.Assistant(), 'features', [])), (_, feature) => feature.id ==# id), 0, {})
enddef

export def Choices(list: string): list<string>
  return mapnew(get(connection.Assistant(), list, []), (_, choice) => choice.id)
enddef

# Names that can be offered: not those of methods that have no place here, such as `generate`.
export def Features(): list<dict<any>>
  var methods = get(connection.Assistant(), 'methods', [])
  return filter(copy(get(connection.Assistant(), 'features', [])), (_, feature) =>
    feature.id !=# 'chat' && (index(BUILT_IN, feature.id) >= 0 || index(methods, 'assistant/' .. feature.id) < 0))
enddef

# Files whose text is never read ahead.
export def Private(buffer: number): bool
  var name = fnamemodify(bufname(buffer), ':t')
  for pattern in get(g:, 'inkling_private', SECRETS)
    if name =~? glob2regpat(pattern)
      return true
    endif
  endfor
  return getbufvar(buffer, '&key') !=# '' || getbufvar(buffer, '&buftype') !=# ''
enddef

def Context(buffer: number): dict<any>
  var type = getbufvar(buffer, '&filetype')
  return {languageId: get(LANGUAGES, type, type)}
enddef

def Taken(spec: dict<any>, names: list<string>): dict<any>
  return filter(copy(spec), (name, value) => index(names, name) >= 0 && !(type(value) == v:t_string && value ==# ''))
enddef

# `text` is the selection or the topic.
export def Build(spec: dict<any>, buffer: number, text: string): list<any>
  var params: dict<any> = {context: Context(buffer)}
  var voice = get(spec, 'voice', get(g:, 'inkling_voice', ''))
  if voice !=# ''
    params.personality = voice
  endif
  extend(params, Taken(spec, ['instructions', 'options']))
  var format = get(FORMATS, getbufvar(buffer, '&filetype'), 'plaintext')
  if spec.feature ==# 'rephrase'
    var tone = get(spec, 'tone', get(g:, 'inkling_tone', ''))
    extend(params, Taken({text: text, tone: tone}, ['text', 'tone']))
    var alternatives = get(spec, 'alternatives', get(g:, 'inkling_alternatives', 1))
    if alternatives > 1
      params.alternatives = alternatives
    endif
  elseif spec.feature ==# 'summarize'
    extend(params, extend({text: text}, Taken(spec, ['style', 'count'])))
  elseif spec.feature ==# 'brainstorm'
    extend(params, extend({topic: text, format: format}, Taken(spec, ['kind', 'count'])))
  else
    extend(params, {id: spec.feature, format: format})
    if text !=# ''
      params.text = text
    endif
    return ['assistant/command', params]
  endif
  return ['assistant/' .. spec.feature, params]
enddef

# Where the answer goes unless the person says otherwise; '' is decided by the answer's own `output`.
export def Placement(spec: dict<any>): string
  var defaults = {rephrase: 'replace', summarize: 'below', brainstorm: 'below'}
  var chosen = get(g:, 'inkling_placement', {})
  var description = inkling#request#Feature(spec.feature)
  return get(spec, 'placement', get(chosen, spec.feature, get(defaults, spec.feature,
    empty(description) ? '' : inkling#request#Output(description.output))))
enddef

export def Output(output: string): string
  return {replace: 'replace', insert: 'below', show: 'echo'}[output]
enddef

export def Title(spec: dict<any>): string
  var title = get(inkling#request#Feature(spec.feature), 'title', toupper(spec.feature[0]) .. spec.feature[1 :])
  var kind = get(spec, 'tone', get(spec, 'style', get(spec, 'kind', '')))
  return kind ==# '' ? title : $'{title}: {kind}'
enddef
