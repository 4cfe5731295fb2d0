/// Completion for bash 3.2 and newer. Every word is compared by the script itself: `compgen -W` would carry out what a
/// name holds.
enum BashCompletion {
  static func text(_ commands: [CommandDescription]) -> String {
    let names = commands.map(\.name) + Program.options.map(\.0)
    let values = commands.flatMap { command in
      command.options.filter { $0.placeholder != nil }.map { option in
        "    '\(command.name) \(option.name)') \(completion(of: option.kind)); return ;;"
      }
    }
    let options = commands.map { command in
      let all = command.options.map(\.name).joined(separator: " ")
      let valued = command.options.filter { $0.placeholder != nil }.map(\.name).joined(separator: " ")
      return "    \(command.name)) options='\(all)' valued=' \(valued) ' ;;"
    }
    return """
      # Completion of inkling for bash, made by “inkling completions bash”.

      # _inkling_among WORD...: the words that begin as the one on the line.
      _inkling_among() {
        local candidate
        for candidate in "$@"; do
          [[ $candidate == "$word"* ]] && COMPREPLY+=("$candidate")
        done
      }

      # _inkling_files f|d: files or folders.
      _inkling_files() {
        local file
        compopt -o filenames 2>/dev/null
        while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -"$1" -- "$word")
      }

      # _inkling_names KIND: what is known of models, tones and so on. Bash takes a colon for the end of a word, so that
      # what stands before it is on the line already.
      _inkling_names() {
        local name line=${COMP_LINE:0:COMP_POINT} ahead=
        if [[ ${line##* } == *:* && $COMP_WORDBREAKS == *:* ]]; then
          word=${line##* }
          ahead=${word%"${word##*:}"}
        fi
        while IFS= read -r name; do
          [[ $name == "$word"* ]] && COMPREPLY+=("$(printf '%q' "${name#"$ahead"}")")
        done < <("$program" names "$1" 2>/dev/null)
      }

      _inkling() {
        local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
        local command=${COMP_WORDS[1]} options= valued= index plain=()
        COMPREPLY=()
        # Bash takes the = of --option=VALUE for a word.
        if [[ $word == = ]]; then
          word=
        elif [[ $option == = ]]; then
          option=${COMP_WORDS[COMP_CWORD-2]}
        fi
        if [ "$COMP_CWORD" -eq 1 ]; then
          _inkling_among \(names.joined(separator: " "))
          return
        fi
        case "$command $option" in
      \(values.joined(separator: "\n"))
        esac
        case $command in
      \(options.joined(separator: "\n"))
          *) return ;;
        esac
        if [[ $word == -* ]]; then
          # Options have only plain letters in their names.
          _inkling_among $options
          return
        fi
        for ((index = 2; index <= COMP_CWORD; index++)); do
          if [[ ${COMP_WORDS[index]} == : ]]; then
            # What stands before a colon is a part of the word behind it.
            ((${#plain[@]})) && unset "plain[$((${#plain[@]} - 1))]"
          elif [ "$index" -eq "$COMP_CWORD" ]; then
            break
          elif [[ $valued == *" ${COMP_WORDS[index]} "* ]]; then
            index=$((index + 1))
            [[ ${COMP_WORDS[index]} == = ]] && index=$((index + 1))
          elif [[ ${COMP_WORDS[index]} != -* ]]; then
            plain+=("${COMP_WORDS[index]}")
          fi
        done
        case "$command ${#plain[@]} ${plain[0]}" in
      \(commands.flatMap(arguments).joined(separator: "\n"))
        esac
      }

      complete -F _inkling inkling

      """
  }

  /// What is done for a command's arguments, by how many stand before.
  private static func arguments(of command: CommandDescription) -> [String] {
    let kinds = command.argumentKinds
    let behind = kinds.behindWord.map { ("'\(command.name) 1 \($0.word)'", $0.kind) }
    return (behind + [("'\(command.name) 0 '", kinds.first), ("'\(command.name) '*", kinds.later)])
      .map { "    \($0.0)) \(completion(of: $0.1)) ;;" }
  }

  private static func completion(of kind: ValueKind) -> String {
    switch kind {
    case .text, .number: ":"
    case .file: "_inkling_files f"
    case .folder: "_inkling_files d"
    case .words(let words): "_inkling_among " + words.map(\.shellQuoted).joined(separator: " ")
    case .names(let kind): "_inkling_names \(kind.rawValue)"
    }
  }
}
