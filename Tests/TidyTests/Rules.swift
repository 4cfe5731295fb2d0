/// Something the house does not want, and where a reader finds it.
struct Finding: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// A word of code that files of one kind must not hold. Comments and string literals do not count.
struct ForbiddenWord: Sendable {
  let word: String
  let reason: String
  let applies: @Sendable (_ path: String) -> Bool
  /// Files that need it all the same, each with its reason.
  var exceptions: [String: String] = [:]

  func findings(in file: SourceFile) -> [Finding] {
    guard applies(file.path), exceptions[file.path] == nil else { return [] }
    let code = codeAlone(file.text).split(separator: "\n", omittingEmptySubsequences: false)
    return code.enumerated().filter { holdsWord($0.element) }.map { index, _ in
      Finding(path: file.path, line: index + 1, message: "\(word): \(reason)")
    }
  }

  /// Whether the line holds the word and not just a longer one that ends in it (`debugPrint(` is not `print(`).
  private func holdsWord(_ line: Substring) -> Bool {
    line.ranges(of: word).contains { range in
      guard range.lowerBound > line.startIndex else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || before == "_") || !(word.first?.isLetter ?? false)
    }
  }
}

private let programs = ["Sources/inkling/", "Sources/Benchmarks/"]

private func isSource(_ path: String) -> Bool { path.hasPrefix("Sources/") }
private func isTest(_ path: String) -> Bool { path.hasPrefix("Tests/") }
private func isLibrary(_ path: String) -> Bool {
  isSource(path) && !programs.contains { path.hasPrefix($0) }
}

let forbiddenWords = [
  ForbiddenWord(
    word: "@unchecked Sendable", reason: "let the compiler check it, or use a Mutex", applies: isSource,
    exceptions: ["Sources/Llama/Handles.swift": "a loaded model is only read, and its tokenising is thread-safe"]),
  ForbiddenWord(word: "nonisolated(unsafe)", reason: "let the compiler check it, or use a Mutex", applies: isSource),
  ForbiddenWord(word: "try!", reason: "handle the error", applies: isSource),
  ForbiddenWord(word: "Task.detached", reason: "a detached task escapes cancellation", applies: isSource),
  ForbiddenWord(word: "print(", reason: "standard output belongs to the connection", applies: isLibrary),
  ForbiddenWord(
    word: "fatalError", reason: "a library reports errors, it does not end the process",
    applies: { isSource($0) && !$0.hasSuffix("/main.swift") }),
  ForbiddenWord(
    word: "@testable", reason: "tests are compiled in release configuration; use package access", applies: isTest),
  ForbiddenWord(
    word: "sleep(", reason: "wait for the event, with a deadline",
    applies: { isTest($0) && !$0.hasPrefix("Tests/TestSupport/") },
    exceptions: ["Tests/JSONRPCTests/TestServer.swift": "a handler that only its cancellation ends"]),
]

/// Generic noncopyable types with a `deinit`: in debug and in builds without whole-module optimisation the value leaks.
func genericNoncopyableDeinits(in file: SourceFile) -> [Finding] {
  let code = codeAlone(file.text)
  let declaration = #/\b(?:struct|enum)\s+(\w+)\s*<[^{]*~Copyable[^{]*\{/#
  return code.matches(of: declaration).compactMap { match in
    // `struct A<T: ~Copyable>: Sendable` is about its parameter; the type's own list of conformances comes after `>`.
    let ownList = match.0.split(separator: ">", omittingEmptySubsequences: false).last ?? ""
    guard ownList.contains("~Copyable"), body(of: code, from: match.range.upperBound).contains(#/\bdeinit\b/#) else {
      return nil
    }
    let line = code[..<match.range.lowerBound].count { $0 == "\n" } + 1
    return Finding(path: file.path, line: line, message: "\(match.1): a generic ~Copyable type with a deinit leaks")
  }
}

/// The code from a place just behind an opening brace to the brace that closes it.
private func body(of code: String, from start: String.Index) -> Substring {
  var depth = 1
  var end = start
  while end < code.endIndex, depth > 0 {
    if code[end] == "{" { depth += 1 }
    if code[end] == "}" { depth -= 1 }
    end = code.index(after: end)
  }
  return code[start..<end]
}

/// Lines that are too long to read side by side, and files that are about more than one topic.
func sizeFindings(in file: SourceFile, maximumLines: Int = 350, maximumColumns: Int = 120) -> [Finding] {
  var findings = file.lines.enumerated().filter { $0.element.count > maximumColumns }.map { index, line in
    Finding(path: file.path, line: index + 1, message: "\(line.count) columns, at most \(maximumColumns)")
  }
  let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
  if count > maximumLines {
    findings.append(Finding(path: file.path, line: count, message: "\(count) lines, at most \(maximumLines): split it"))
  }
  return findings
}

/// Unfinished work and places of one machine, in code, comments and prose. The words are put together here so that this
/// file does not hold them.
func leftoverFindings(in file: SourceFile) -> [Finding] {
  let unfinished = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
  let machine = ["/wo" + "rk/", "/tmp/" + "wt", "/ro" + "ot/", "/opt/" + "swift", "/Us" + "ers/"]
  return file.lines.enumerated().flatMap { index, line in
    unfinished.filter { line.contains($0) }.map {
      Finding(path: file.path, line: index + 1, message: "\($0): finish it or file an issue")
    }
      + machine.filter { line.contains($0) }.map {
        Finding(path: file.path, line: index + 1, message: "\($0) is a place of one machine")
      }
  }
}
