import CLlama
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// libllama's log. Warnings and errors go to standard error; they hold names, numbers and codes of the library, and
/// no text of a prompt is ever handed to it under these levels. The errors and a few facts that the API does not tell
/// are kept.
enum LibraryLog {
  struct State {
    /// The first few errors since they were last taken.
    var errors: [String] = []
    /// What the last context said of flash attention: `enabled`, `disabled` or `auto`.
    var flashAttention: String?
    /// Whether the line being continued is printed.
    var printsContinuation = false
    /// Lines that wait for the outcome of a step; nil outside one.
    var held: [String]?
    /// Hears of what a long call has done, and of how much.
    var progress: (@Sendable (Int, Int) -> Void)?
  }

  private static let state = Mutex(State())

  static func install() {
    unsafe llama_log_set(
      { level, text, _ in
        guard let text = unsafe text else { return }
        LibraryLog.take(unsafe String(cString: text), level: level)
      }, nil)
  }

  /// The errors that were logged since the last call, as one line without functions' names; empty without any.
  static func takeErrors() -> String {
    state.withLock { state in
      defer { state.errors = [] }
      return state.errors.joined(separator: "; ")
    }
  }

  static var flashAttention: String? { state.withLock { $0.flashAttention } }

  /// Runs a step of which some outcomes are no failure, though the library calls them so: no room in the cache, an end
  /// that was asked for. Then nothing is printed.
  static func duringStep(_ step: () -> Int32, isExpected: (Int32) -> Bool) -> Int32 {
    state.withLock { $0.held = [] }
    let code = step()
    let lines = state.withLock { state in
      defer { state.held = nil }
      if isExpected(code) { state.errors = [] }
      return isExpected(code) ? [] : state.held ?? []
    }
    for line in lines { writeToStandardError(line) }
    return code
  }

  /// Has lines such as `[  12/ 272] …`, the only sign that making a copy gives, told to the listener; nil ends it.
  static func followProgress(_ listener: (@Sendable (_ done: Int, _ total: Int) -> Void)?) {
    state.withLock { $0.progress = listener }
  }

  static func reset() {
    state.withLock { $0 = State() }
  }

  private static func take(_ text: String, level: ggml_log_level) {
    let line = printable(text)
    let output = "libllama: \(line)\n"
    if let listener = state.withLock({ $0.progress }), let (done, total) = progress(in: line) { listener(done, total) }
    let prints = state.withLock { state in
      if level == GGML_LOG_LEVEL_ERROR, !line.isEmpty, state.errors.count < 3 {
        state.errors.append(withoutFunctionName(line))
      }
      if let value = value(of: "flash_attn", in: line) { state.flashAttention = value }
      if level != GGML_LOG_LEVEL_CONT {
        state.printsContinuation = level == GGML_LOG_LEVEL_ERROR || level == GGML_LOG_LEVEL_WARN
      }
      guard state.printsContinuation, !line.isEmpty else { return false }
      guard let held = state.held else { return true }
      if held.count < 20 { state.held?.append(output) }
      return false
    }
    if prints { writeToStandardError(output) }
  }

  /// One bounded line without control characters: metadata of a hostile file must not steer a terminal.
  private static func printable(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(500) where scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) {
      scalars.append(scalar)
    }
    return String(scalars)
  }

  private static func withoutFunctionName(_ line: String) -> String {
    guard let colon = line.firstIndex(of: ":"), !line[..<colon].contains(" ") else { return line }
    return String(line[line.index(after: colon)...].drop(while: { $0 == " " }))
  }

  /// The value of a line such as `llama_context: flash_attn            = enabled`.
  private static func value(of name: String, in line: String) -> String? {
    let words = line.split(separator: " ")
    guard words.count == 4, words[1] == name, words[2] == "=" else { return nil }
    return String(words[3])
  }

  /// The numbers of a line such as `[  12/ 272]   blk.0.attn_k.weight - …`.
  private static func progress(in line: String) -> (done: Int, total: Int)? {
    guard line.first == "[", let end = line.firstIndex(of: "]") else { return nil }
    let numbers = line[..<end].dropFirst().split(separator: "/").map { Int($0.drop { $0 == " " }) }
    guard numbers.count == 2, let done = numbers[0], let total = numbers[1], total > 0, (0...total).contains(done)
    else { return nil }
    return (done, total)
  }

  private static func writeToStandardError(_ line: String) {
    let bytes = Array(line.utf8)
    unsafe bytes.withUnsafeBytes { buffer in
      // A log line that cannot be written is lost; there is nobody left to tell.
      _ = unsafe write(STDERR_FILENO, buffer.baseAddress, buffer.count)
    }
  }
}
