import Synchronization
import TerminalUI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Messages that a person edits in a terminal.
final class EditorInput: ChatInput {
  private static let prompt = "> "
  /// An ESC behind which nothing comes for so long is the Escape key.
  private static let patience: Int32 = 50

  private struct State {
    var reader = KeyReader()
    /// Pressed, and for the next message.
    var keys: [Key] = []
    var history: [String]
  }

  private enum Happening {
    case bytes([UInt8])
    case silence, resized, resumed, interrupted, end
  }

  /// Why the thread is woken.
  private enum Reason: UInt8 { case interrupt, resize, resume }

  let isInteractive = true
  private let waiting = Atomic(false)
  private let file: HistoryFile?
  /// Taken out while a message is edited: one thread does that at a time.
  private let state: Mutex<State>
  /// A byte in it wakes the thread that waits for keys.
  private let wakeUp: (read: Int32, write: Int32)

  /// - Parameter file: nil: earlier messages are not kept.
  init(_ file: HistoryFile?) {
    self.file = file
    state = Mutex(State(history: file?.entries() ?? []))
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    wakeUp = (ends[0], ends[1])
  }

  var isWaiting: Bool { waiting.load(ordering: .sequentiallyConsistent) }
  func beginWaiting() { waiting.store(true, ordering: .sequentiallyConsistent) }

  func next(_ complete: @escaping @Sendable (String) -> Completion?) async -> ChatEvent {
    await onOwnThread { self.edit(complete) }
  }

  func interrupt() { wake(.interrupt) }
  func noteResized() { wake(.resize) }
  func noteResumed() { wake(.resume) }

  private func edit(_ complete: (String) -> Completion?) -> ChatEvent {
    TerminalMode.set(.editing)
    defer {
      // First: from then on Ctrl-C is a signal, and for the answer.
      waiting.store(false, ordering: .sequentiallyConsistent)
      TerminalMode.set(.answering)
    }
    var state = self.state.withLock { $0 }
    defer { self.state.withLock { $0 = state } }
    var editor = LineEditor(prompt: Self.prompt, history: state.history)
    var shown: Layout?
    while true {
      var isToBeStopped = false
      while !state.keys.isEmpty {
        switch editor.handle(state.keys.removeFirst()) {
        case .changed, .ignored: break
        case .submitted(let text):
          draw(editor, &shown)
          leave(&shown)
          remember(text, &state)
          return .message(text)
        case .interrupted(let wasEmpty):
          leave(&shown)
          return .interrupted(wasEmpty: wasEmpty)
        case .ended:
          draw(editor, &shown)
          leave(&shown)
          return .end
        case .suspended:
          draw(editor, &shown)
          leave(&shown)
          // As the terminal itself does: to all that the shell has started together.
          isToBeStopped = true
          kill(0, SIGTSTP)
        case .clearsScreen:
          Terminal.write("\u{1B}[H\u{1B}[2J")
          shown = nil
          draw(editor, &shown)
        case .wantsCompletion:
          guard let completion = complete(editor.textBeforeCursor) else { break }
          let candidates = editor.complete(completion)
          if candidates.isEmpty { break }
          draw(editor, &shown)
          leave(&shown)
          Terminal.write(ChatView.columns(candidates))
        }
      }
      // It is drawn when the program goes on.
      if !isToBeStopped { draw(editor, &shown) }
      switch wait(isInSequence: state.reader.isWaiting) {
      case .bytes(let bytes): state.keys += state.reader.feed(bytes)
      case .silence: state.keys += state.reader.giveUpWaiting()
      case .resized: break
      // Others have written on the screen meanwhile.
      case .resumed: shown = nil
      case .interrupted: state.keys.append(.control("c"))
      case .end:
        leave(&shown)
        return .end
      }
    }
  }

  private func remember(_ text: String, _ state: inout State) {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    if let file {
      state.history = file.add(text)
    } else if state.history.last != text {
      state.history.append(text)
    }
  }

  // MARK: The screen

  private func draw(_ editor: LineEditor, _ shown: inout Layout?) {
    let (width, height) = Terminal.size
    let layout = editor.layout(width: width, height: height)
    if layout == shown { return }
    let text = Painter.show(layout, inPlaceOf: shown, width: width) { row in
      row.hasPrefix(Self.prompt) ? ChatView.bold(Self.prompt) + row.dropFirst(Self.prompt.count) : row
    }
    Terminal.write(text)
    shown = layout
  }

  private func leave(_ shown: inout Layout?) {
    if let shown { Terminal.write(Painter.leave(shown)) }
    shown = nil
  }

  // MARK: Waiting

  private func wake(_ reason: Reason) {
    var byte = reason.rawValue
    _ = write(wakeUp.write, &byte, 1)
  }

  private func wait(isInSequence: Bool) -> Happening {
    var descriptors = [wakeUp.read, STDIN_FILENO].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = poll(&descriptors, 2, isInSequence ? Self.patience : -1)
    if count == 0 { return .silence }
    if count < 0 { return errno == EINTR ? .resized : .end }
    if descriptors[0].revents != 0 {
      var byte: UInt8 = 0
      _ = read(wakeUp.read, &byte, 1)
      switch Reason(rawValue: byte) {
      case .interrupt?: return .interrupted
      case .resume?: return .resumed
      case .resize?, nil: return .resized
      }
    }
    return Terminal.readSome().map { .bytes($0) } ?? .end
  }
}
