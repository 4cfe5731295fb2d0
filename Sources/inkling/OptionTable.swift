import AssistantProtocol
import JSON

/// The command line cannot be understood; the message says why, and what may have been meant.
struct UsageError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

/// What the value of an option or an argument can be, for the completions of shells.
enum ValueKind: Sendable {
  case text, number, file, folder
  case words([String])
  /// Names that are known only when they are asked for.
  case names(NamesCommand.Kind)
}

/// What the arguments of a command can be.
struct ArgumentKinds: Sendable {
  var first = ValueKind.text
  var later = ValueKind.text
  /// The second argument where the first one decides.
  var behindWord: [(word: String, kind: ValueKind)] = []
}

/// One option of a command: how it is written, what `--help` says of it, and what it sets.
struct Option<Settings>: Sendable {
  let name: String
  /// What stands for the value in the help; nil for an option without one.
  let placeholder: String?
  var kind = ValueKind.text
  let summary: String
  let apply: @Sendable (inout Settings, String) throws(UsageError) -> Void

  /// An option with a value.
  static func value(
    _ name: String, _ placeholder: String, _ summary: String, kind: ValueKind = .text,
    _ apply: @escaping @Sendable (inout Settings, String) throws(UsageError) -> Void
  ) -> Option {
    Option(name: name, placeholder: placeholder, kind: kind, summary: summary, apply: apply)
  }

  /// An option that is there or not.
  static func flag(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable
  ) -> Option {
    Option(name: name, placeholder: nil, summary: summary) { settings, _ in settings[keyPath: path] = true }
  }

  /// An option with a whole number within a range.
  static func number(
    _ name: String, _ placeholder: String, _ summary: String, in range: ClosedRange<Int>,
    _ path: any WritableKeyPath<Settings, Int> & Sendable
  ) -> Option {
    value(name, placeholder, summary, kind: .number) { (settings, text) throws(UsageError) in
      settings[keyPath: path] = try wholeNumber(text, of: name, in: range)
    }
  }

  /// Reads an option's value.
  static func wholeNumber(_ text: String, of name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\(name) wants a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
    }
    return number
  }

  /// Reads a length of time: 15m, 90s, 2h, or minutes; nil for 0.
  static func duration(_ text: String, of name: String) throws(UsageError) -> Duration? {
    let units: [(Character, Double)] = [("s", 1), ("m", 60), ("h", 3600)]
    let unit = units.first { $0.0 == text.last }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = Double(digits), number >= 0, number <= 1e6 else {
      throw UsageError("\(name) wants a time like 15m, 90s or 2h, or 0, not “\(text)”")
    }
    return number == 0 ? nil : .milliseconds(Int64(number * (unit?.1 ?? 60) * 1000))
  }

  /// An option whose value is one of a few words.
  static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ placeholder: String, _ summary: String,
    _ path: any WritableKeyPath<Settings, Choice> & Sendable
  ) -> Option where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    return value(name, placeholder, "\(summary): \(words.joined(separator: ", "))", kind: .words(words)) {
      (settings, text) throws(UsageError) in
      guard let choice = Choice.allCases.first(where: { $0.rawValue.hasSameBytes(as: text) }) else {
        throw UsageError("\(name) wants one of \(words.joined(separator: ", ")), not “\(text)”")
      }
      settings[keyPath: path] = choice
    }
  }
}

/// A command: one table drives parsing, checks and help.
struct Command<Settings: Sendable>: Sendable {
  let name: String
  let summary: String
  /// Shown after the options in the usage line; nil when there are no arguments.
  var arguments: String?
  var argumentKinds = ArgumentKinds()
  /// Paragraphs under the usage line.
  var details: [String] = []
  /// What one of the options can be, explained.
  var choicesTitle = ""
  var choices: [(String, String)] = []
  let options: [Option<Settings>]
  var exitStatuses: [(Int32, String)] = []
  var isHidden = false
  let defaults: @Sendable () -> Settings
  /// Takes the arguments that are no options.
  var takeArguments: (@Sendable (inout Settings, [String]) throws(UsageError) -> Void)?
  /// Refuses what cannot be together, or not be missing.
  var check: (@Sendable (Settings) throws(UsageError) -> Void)?
  var run: @Sendable (Settings) async -> Int32

  /// Reads the arguments behind the command's name.
  func parse(_ arguments: [String]) throws(UsageError) -> Settings {
    var settings = defaults()
    var plain: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument.hasSameBytes(as: "--") {
        plain += rest
        break
      }
      guard argument.utf8.starts(with: "-".utf8), argument.utf8.count > 1 else {
        plain.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = options.first(where: { $0.name.hasSameBytes(as: parts[0]) }) else {
        throw UsageError(unknown("option", parts[0], options.map(\.name) + ["--help"]))
      }
      if option.placeholder == nil {
        guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
        try option.apply(&settings, "")
      } else if parts.count == 2 {
        try option.apply(&settings, parts[1])
      } else if let value = rest.popFirst() {
        try option.apply(&settings, value)
      } else {
        throw UsageError("\(option.name) wants a value")
      }
    }
    if let takeArguments {
      try takeArguments(&settings, plain)
    } else if let first = plain.first {
      throw UsageError("\(name) takes no arguments, but was given “\(first)”")
    }
    try check?(settings)
    return settings
  }
}

/// Help is read in terminals of this width.
private let helpWidth = 98

/// Two columns, the second of which starts at the same place and is broken into lines.
func table(_ rows: [(String, String)]) -> [String] {
  let indent = (rows.map(\.0.count).max() ?? 0) + 4
  return rows.flatMap { row in
    let lines = wrap(row.1, width: helpWidth - indent)
    let first = "  " + row.0 + String(repeating: " ", count: indent - 2 - row.0.count) + (lines.first ?? "")
    return [first] + lines.dropFirst().map { String(repeating: " ", count: indent) + $0 }
  }
}

/// Breaks a paragraph into lines between its words.
func wrap(_ text: String, width: Int = helpWidth) -> [String] {
  var lines: [String] = []
  for word in text.split(separator: " ") {
    if let last = lines.last, last.count + 1 + word.count <= width {
      lines[lines.count - 1] = last + " " + word
    } else {
      lines.append(String(word))
    }
  }
  return lines
}

/// A message about a word that is not known, with the nearest known one when it is near.
func unknown(_ kind: String, _ word: String, _ known: [String]) -> String {
  guard let nearest = NearestWord.find(word, among: known) else {
    return "there is no \(kind) “\(word)”"
  }
  return "there is no \(kind) “\(word)”; did you mean “\(nearest)”?"
}

/// The same for names of the configuration, which nobody can look up in a help text.
func unknownName(_ kind: String, _ word: String, _ known: [String]) -> String {
  let others = known.map { "“\($0)”" }.joined(separator: ", ")
  return unknown(kind, word, known) + (known.isEmpty ? "; your configuration has none" : "; there are \(others)")
}
