import AssistantProtocol
import JSONRPC
import Synchronization
import TerminalUI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What comes from whoever writes the messages.
enum ChatEvent: Sendable {
  case message(String)
  /// Ctrl-C; whether there was nothing to be thrown away.
  case interrupted(wasEmpty: Bool)
  /// A line that is no text.
  case unreadable
  case end
}

/// Where a chat gets its messages from.
protocol ChatInput: Sendable {
  /// A person writes them, and sees what is said.
  var isInteractive: Bool { get }

  /// From `beginWaiting` on, until there is a message.
  var isWaiting: Bool { get }

  /// Comes before each `next`.
  func beginWaiting()

  /// Waits for the next one.
  /// - Parameter complete: what may follow the text before the cursor.
  func next(_ complete: @escaping @Sendable (String) -> Completion?) async -> ChatEvent

  /// SIGINT has come while it waits.
  func interrupt()

  /// The window has another size.
  func noteResized()

  /// The program goes on after it was stopped.
  func noteResumed()
}

/// Runs what waits for a person outside of the threads that run tasks.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    do throws(ChannelError) {
      try DedicatedThread.start(name: "chat-input") { continuation.resume(returning: body()) }
    } catch {
      continuation.resume(returning: body())
    }
  }
}

/// Lines of a pipe or a file, or of a terminal that knows no control sequences and lets its own driver edit.
final class LineInput: ChatInput {
  private static let prompt = "> "
  private static let hint = "Ctrl-D or /quit ends the chat\n"

  let isInteractive: Bool
  private let waiting = Atomic(false)
  /// What has been read and is not a line yet.
  private let rest = Mutex<[UInt8]>([])

  init(isInteractive: Bool) { self.isInteractive = isInteractive }

  var isWaiting: Bool { waiting.load(ordering: .sequentiallyConsistent) }
  func beginWaiting() { waiting.store(true, ordering: .sequentiallyConsistent) }

  func next(_ complete: @escaping @Sendable (String) -> Completion?) async -> ChatEvent {
    showPrompt()
    return await onOwnThread {
      defer { self.waiting.store(false, ordering: .sequentiallyConsistent) }
      guard let line = self.readLine() else { return .end }
      guard let text = String(validating: line, as: UTF8.self) else { return .unreadable }
      return .message(text)
    }
  }

  func interrupt() {
    guard isInteractive else { ChatSignals.end(Program.Status.interrupted) }
    Terminal.writeError("\n" + Self.hint)
    showPrompt()
  }

  func noteResized() {}
  func noteResumed() { showPrompt() }

  private func showPrompt() {
    guard isInteractive else { return }
    if Terminal.outputIsTerminal { Terminal.write(Self.prompt) } else { Terminal.writeError(Self.prompt) }
  }

  /// Without its line feed; nil at the end. What is over the limit is left out, and what is left is then refused.
  private func readLine() -> [UInt8]? {
    var bytes = rest.withLock { rest in
      defer { rest = [] }
      return rest
    }
    var line: [UInt8] = []
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        line += bytes[..<end]
        rest.withLock { $0 = Array(bytes[(end + 1)...]) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      line += bytes.prefix(max(0, Limits.textBytes + 1 - line.count))
      guard let more = Terminal.readSome() else { return line.isEmpty ? nil : line }
      bytes = more
    }
  }
}
