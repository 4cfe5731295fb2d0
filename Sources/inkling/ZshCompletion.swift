/// Completion for zsh, by its own `_arguments`.
enum ZshCompletion {
  static func text(_ commands: [CommandDescription]) -> String {
    let list = commands.map { "        " + "\($0.name):\($0.summary)".shellQuoted }
    let options = Program.options.map { "    " + "(- *)\($0.0)[\(escaped($0.1))]".shellQuoted + " \\" }
    return """
      #compdef inkling
      # Completion of inkling for zsh, made by “inkling completions zsh”.

      # _inkling_names KIND: what is known of models, tones and so on.
      _inkling_names() {
        local -a names
        names=("${(@f)$(_call_program names inkling names $1 2>/dev/null)}")
        compadd -a names
      }

      _inkling() {
        local context state state_descr line
        typeset -A opt_args
        _arguments -C \\
      \(options.joined(separator: "\n"))
          '1:command:->command' '*::argument:->argument'
        case $state in
          command)
            local -a commands=(
      \(list.joined(separator: "\n"))
            )
            _describe command commands
            ;;
          argument)
            case $line[1] in
      \(commands.map(entry).joined(separator: "\n"))
            esac
            ;;
        esac
      }

      if [ "$funcstack[1]" = _inkling ]; then _inkling "$@"; else compdef _inkling inkling; fi

      """
  }

  private static func entry(_ command: CommandDescription) -> String {
    var specifications = command.options.map { option in
      let value = option.placeholder.map { ":\(escaped($0)):\(action(option.kind))" } ?? ""
      return "\(option.name)\(option.placeholder == nil ? "" : "=")[\(escaped(option.summary))]\(value)"
    }
    if command.arguments != nil {
      let kinds = command.argumentKinds
      specifications.append("1:argument:\(action(kinds.first))")
      if kinds.behindWord.isEmpty { specifications.append("*:argument:\(action(kinds.later))") }
    }
    let last = command.argumentKinds.behindWord.map { word, kind in
      "          [[ $words[2] == \(word) ]] && more=(\("2:argument:\(action(kind))".shellQuoted))"
    }
    return
      (["        \(command.name))", "          local -a more=()"] + last + ["          _arguments -S \\"]
      + specifications.map { "            " + $0.shellQuoted + " \\" } + ["            $more", "          ;;"])
      .joined(separator: "\n")
  }

  private static func action(_ kind: ValueKind) -> String {
    switch kind {
    case .text, .number: "()"
    case .file: "_files"
    case .folder: "_files -/"
    case .words(let words): "(" + words.joined(separator: " ") + ")"
    // With the space in front nothing is put between the function's name and its argument.
    case .names(let kind): " _inkling_names \(kind.rawValue)"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: #"\\"#).replacing("[", with: #"\["#).replacing("]", with: #"\]"#)
      .replacing(":", with: #"\:"#)
  }
}
