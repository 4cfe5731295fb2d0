import Assistant
import AssistantProtocol
import Client
import Synchronization

/// What a person sees while a request runs: the text as it comes, and before it a line about what is done.
final class Screen: Sendable {
  private struct State {
    var progressIsShown = false
    /// What is done at the moment, while a spinner turns before it.
    var activity: String?
    var lineIsOpen = false
    /// The text on the screen.
    var text = ""

    mutating func clearProgress() {
      if progressIsShown { Terminal.writeError("\r\u{1B}[K") }
      progressIsShown = false
      activity = nil
    }

    mutating func showLine(_ line: String) {
      if lineIsOpen { return }
      progressIsShown = true
      Terminal.writeError("\r\u{1B}[K\(line)")
    }

    /// What is to be written for a delta. What is written cannot be taken back, so a text that is changed is written
    /// anew, on lines of its own.
    mutating func take(_ delta: TextDelta) -> String {
      let kept = delta.encoding.prefix(of: text, length: delta.offset).map(String.init) ?? ""
      let isChanged = kept.utf8.count < text.utf8.count
      text = kept + delta.delta
      lineIsOpen = true
      return isChanged ? "\n\n" + text : delta.delta
    }
  }

  private static let spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

  /// The text is shown as it comes.
  let streams: Bool
  private let showsProgress = Terminal.errorIsTerminal && !Terminal.isDumb
  /// Held while it is written, so that a line about what is done never falls into the text.
  private let state = Mutex(State())

  /// - Parameter streams: text of the request is shown as it comes when the output is a terminal.
  init(streams: Bool) { self.streams = streams && Terminal.outputIsTerminal }

  /// What a request is to tell.
  var wanted: Set<ProgressKind> {
    var wanted: Set<ProgressKind> = []
    if streams { wanted.insert(.partialResults) }
    if showsProgress { wanted.insert(.workDone) }
    return wanted
  }

  func show(_ progress: ProgressValue) {
    switch progress {
    case .partial(let partial): show(partial)
    case .workDone(let work): show(work)
    }
  }

  /// A line about what is done, which the next one and the text replace.
  func showProgress(_ what: String, _ percentage: Int) { showLine("\(what): \(percentage) %") }

  func showLine(_ line: String) {
    guard showsProgress else { return }
    state.withLock { state in
      // The spinner's next turn shows it.
      if state.activity == nil { state.showLine(line) } else { state.activity = line }
    }
  }

  /// Turns a spinner before the line about what is done, until there is text or the progress is cleared.
  func spin() async {
    guard showsProgress else { return }
    state.withLock { $0.activity = "Waiting for the answer" }
    for turn in 0... {
      let goesOn = state.withLock { state in
        guard let activity = state.activity else { return false }
        state.showLine("\(Self.spinner[turn % Self.spinner.count]) \(activity)")
        return true
      }
      guard goesOn else { return }
      do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
    }
  }

  func clearProgress() { state.withLock { $0.clearProgress() } }

  /// So that a message does not begin behind an unfinished text.
  func breakLine() {
    state.withLock { state in
      if state.lineIsOpen { Terminal.write("\n") }
    }
  }

  private func show(_ partial: PartialResult) {
    guard case .delta(let delta) = partial else { return }
    state.withLock { state in
      state.clearProgress()
      Terminal.write(TerminalText.neutralise(state.take(delta)))
    }
  }

  private func show(_ progress: WorkDoneProgress) {
    guard case .report(let report) = progress, let message = report.message, let percentage = report.percentage else {
      return
    }
    showProgress(message, percentage)
  }
}
