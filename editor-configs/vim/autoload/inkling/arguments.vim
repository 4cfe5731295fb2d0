vim9script
# The words after :Inkling, and what may stand there.

import autoload './connection.vim'
import autoload './request.vim'

const PLACEMENTS = ['replace', 'below', 'above', 'new', 'echo', 'register']
const NAMED = ['tone', 'style', 'count', 'kind', 'placement', 'voice', 'alternatives']

# What a word means that has no name before it: [name, value], or [] for words of a text.
def Meaning(feature: string, word: string, spec: dict<any>): list<any>
  if feature ==# 'rephrase' && !has_key(spec, 'tone') && index(request.Choices('tones'), word) >= 0
    return ['tone', word]
  elseif feature ==# 'summarize' && index(request.STYLES, word) >= 0
    return ['style', word]
  elseif feature ==# 'brainstorm' && !has_key(spec, 'kind') && index(request.Choices('kinds'), word) >= 0
    return ['kind', word]
  elseif (feature ==# 'summarize' || feature ==# 'brainstorm') && !has_key(spec, 'count') && word =~ '^\d\+$'
    return ['count', str2nr(word)]
  endif
  return []
enddef

# Throws a message for the person when something is wrong.
export def Parse(arguments: string): dict<any>
  var words = split(arguments)
  if empty(words)
    throw 'say what to do, such as :Inkling rephrase formal.'
  endif
  var spec: dict<any> = {feature: words[0]}
  # The names of tones and kinds, and of commands, come with the handshake.
  connection.Ready()
  if connection.Running() && index(request.BUILT_IN, spec.feature) < 0 && empty(request.Feature(spec.feature))
    var known = mapnew(request.Features(), (_, feature) => feature.id)
    throw $'there is no feature “{spec.feature}”. There are {join(known, ", ")}.'
  endif
  var free: list<string> = []
  for word in words[1 :]
    var [name, value] = matchlist(word, '^\(\a*\)=\?\(.*\)$')[1 : 2]
    var meaning = empty(free) ? Meaning(spec.feature, word, spec) : []
    if index(NAMED, name) >= 0 && word =~ '^\a\+=.'
      spec[name] = name ==# 'count' || name ==# 'alternatives' ? str2nr(value) : value
    elseif !empty(meaning)
      spec[meaning[0]] = meaning[1]
    else
      add(free, word)
    endif
  endfor
  if has_key(spec, 'placement') && index(PLACEMENTS, spec.placement) < 0
    throw $'placement must be one of {join(PLACEMENTS, ", ")}.'
  endif
  if !empty(free)
    var topic = spec.feature ==# 'brainstorm' || get(request.Feature(spec.feature), 'input', '') ==# 'topic'
    spec[topic ? 'topic' : 'instructions'] = join(free)
  endif
  return spec
enddef

export def Complete(lead: string, line: string, _: number): list<string>
  connection.Ready()
  var words = split(matchstr(line, '\<Inkling!\?\s\+\zs.*'))
  var found: list<string> = []
  if len(words) == 0 || len(words) == 1 && lead !=# ''
    found = mapnew(request.Features(), (_, feature) => feature.id)
  elseif lead =~ '^\a\+='
    var name = matchstr(lead, '^\a\+')
    var values = {tone: request.Choices('tones'), kind: request.Choices('kinds'), style: request.STYLES,
      placement: PLACEMENTS, voice: request.Choices('personalities')}
    found = mapnew(get(values, name, []), (_, value) => $'{name}={value}')
  else
    var lists = {rephrase: request.Choices('tones'), summarize: request.STYLES,
      brainstorm: request.Choices('kinds')}
    found = get(lists, words[0], []) + mapnew(copy(NAMED), (_, name) => name .. '=')
  endif
  return filter(found, (_, word) => stridx(word, lead) == 0)
enddef

export def CompleteVoice(lead: string, _: string, _: number): list<string>
  connection.Ready()
  return filter(request.Choices('personalities'), (_, word) => stridx(word, lead) == 0)
enddef

# What the menu offers for a selection: [title, spec].
export def Menu(): list<list<any>>
  connection.Ready()
  var entries: list<list<any>> = []
  for feature in request.Features()
    if feature.id ==# 'rephrase'
      extend(entries, mapnew(copy(get(connection.Assistant(), 'tones', [])), (_, tone) =>
        [$'{feature.title}: {tone.title}', {feature: 'rephrase', tone: tone.id}]))
    elseif feature.id ==# 'summarize'
      extend(entries, mapnew(copy(request.STYLES), (_, style) =>
        [$'{feature.title}: {style}', {feature: 'summarize', style: style}]))
    elseif feature.id ==# 'brainstorm'
      extend(entries, mapnew(copy(get(connection.Assistant(), 'kinds', [])), (_, kind) =>
        [$'{feature.title}: {kind.title}', {feature: 'brainstorm', kind: kind.id}]))
    else
      add(entries, [feature.title, {feature: feature.id}])
    endif
  endfor
  return entries
enddef
