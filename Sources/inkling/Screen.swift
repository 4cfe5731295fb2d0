import Assistant
import AssistantProtocol
import Client
import Synchronization

/// What a person sees while a request runs: the text as it comes, and before it a line about what is done.
final class Screen: Sendable {
  private struct State {
    var progressIsShown = false
    var lineIsOpen = false
    /// The text on the screen.
    var text = ""

    mutating func clearProgress() {
      if progressIsShown { Terminal.writeError("\r\u{1B}[K") }
      progressIsShown = false
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
      if state.lineIsOpen { return }
      state.progressIsShown = true
      Terminal.writeError("\r\u{1B}[K\(line)")
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
