import Assistant
import AssistantProtocol
import JSON
import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `inkling rephrase`: one text, once, without a daemon.
enum RephraseCommand {
  struct Settings: ModelSettings {
    var engine = EngineSetup()
    var tone = Tone.formal
    var instructions: String?
    var temperature: Double?
    var maxTokens: Int?
    /// nil: standard input.
    var text: String?
  }

  private enum Status {
    static let unavailable: Int32 = 3
    static let unsuitable: Int32 = 4
  }

  static let command = Command<Settings>(
    name: "rephrase", summary: "Says a text again in another tone.", arguments: "[TEXT...]",
    details: [
      "The text is the arguments, or standard input when there are none or only “-”. The result goes to standard "
        + "output: on a terminal as it is written and without control characters, otherwise whole and byte for byte."
    ],
    choicesTitle: "Tones", choices: Tone.allCases.map { ($0.rawValue, $0.choice.description) },
    options: [
      .choice("--tone", "TONE", "The tone (default formal)", \.tone),
      .value("--instructions", "TEXT", "What else to heed, in your words.") { settings, text in
        settings.instructions = text
      },
      .value("--temperature", "T", "0 (default) always takes the likeliest word; up to 2 is more varied.") {
        (settings, text) throws(UsageError) in
        guard let value = Double(text), (0...2).contains(value) else {
          throw UsageError("--temperature wants a number from 0 to 2, not “\(text)”")
        }
        settings.temperature = value
      },
      .value("--max-tokens", "N", "The longest result in tokens (default: by the length of the text).") {
        (settings, text) throws(UsageError) in
        guard let value = Int(text), (1...1_000_000).contains(value) else {
          throw UsageError("--max-tokens wants a whole number from 1 to 1000000, not “\(text)”")
        }
        settings.maxTokens = value
      },
      .model,
    ],
    exitStatuses: [
      (0, "The result was written."), (1, "The request failed; standard error says why, standard output is empty."),
      (2, "The command line is wrong."), (3, "The model cannot be loaded."),
      (4, "The text is empty, not UTF-8, over 4 MiB, or too long for the context window."), (130, "Interrupted."),
    ],
    defaults: { Settings() },
    takeArguments: { settings, words in
      if !words.isEmpty { settings.text = words.joined(separator: " ") }
      if words.count == 1, words[0].hasSameBytes(as: "-") { settings.text = nil }
    },
    run: { await rephrase($0) })

  private static func rephrase(_ settings: Settings) async -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    let interruption = Interruption()
    Signals.onFirst { interruption.receive($0) }
    let text: String
    do throws(InputError) {
      text = if let argument = settings.text { argument } else { try readText() }
    } catch {
      return fail(error.message, Status.unsuitable)
    }
    let params = params(for: text, settings)
    let supervisor = settings.engine.makeSupervisor(log: .standardError(level: .error))
    let screen = Screen()
    let work = Task { () async -> Result<Rephrase.Result, RequestFailure> in
      do throws(RequestFailure) {
        let runner = FeatureRunner(engine: supervisor)
        return .success(try await runner.run(.rephrase, params, encoding: .utf8, sink: screen.sink))
      } catch {
        return .failure(error)
      }
    }
    interruption.cancels { work.cancel() }
    let outcome = await work.value
    await supervisor.shutDown()
    screen.clearProgress()
    switch outcome {
    case .success(let result):
      return finish(result, screen, addsLineFeed: settings.text != nil)
    case .failure(let failure):
      screen.breakLine()
      if let signal = interruption.signal { return 128 + signal }
      return fail(failure.wireError.message, status(of: failure))
    }
  }

  private struct InputError: Error {
    let message: String
  }

  private static func readText() throws(InputError) -> String {
    if Terminal.inputIsTerminal { Terminal.writeError("inkling: type the text, then Ctrl-D\n") }
    guard let bytes = Terminal.readInput(limit: Limits.textBytes) else {
      throw InputError(message: "standard input cannot be read")
    }
    guard bytes.count <= Limits.textBytes else { throw InputError(message: "the text is longer than 4 MiB") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw InputError(message: "the text is not UTF-8")
    }
    return text
  }

  private static func params(for text: String, _ settings: Settings) -> Rephrase.Params {
    var common = CommonParams()
    common.instructions = settings.instructions
    var options = GenerationOptions()
    options.temperature = settings.temperature
    options.maxTokens = settings.maxTokens
    common.options = options
    return Rephrase.Params(text: text, tone: settings.tone, common: common)
  }

  /// What has been streamed is completed; what has not is written whole.
  private static func finish(_ result: Rephrase.Result, _ screen: Screen, addsLineFeed: Bool) -> Int32 {
    var status: Int32 = 0
    if screen.streams {
      if !result.text.utf8.hasLineFeedAtEnd { status = Terminal.write("\n") }
    } else {
      let ends = addsLineFeed && !result.text.utf8.hasLineFeedAtEnd
      status = Terminal.write(ends ? result.text + "\n" : result.text)
    }
    if status != 0 { return fail("standard output cannot be written", status) }
    for warning in result.common.warnings { Terminal.writeError("inkling: warning: \(warning.message)\n") }
    return status
  }

  private static func fail(_ message: String, _ status: Int32) -> Int32 {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    Terminal.writeError("inkling: \(TerminalText.neutralise(line))\n")
    return status
  }

  private static func status(of failure: RequestFailure) -> Int32 {
    switch failure {
    case .assistant(let error):
      switch error.kind {
      case .emptyPrompt, .contextWindowExceeded: Status.unsuitable
      case .modelUnavailable: Status.unavailable
      case .sessionNotFound, .sessionBusy, .unsupportedSchema, .guardrailViolation, .refusal, .emptyOutput, .toolFailed,
        .tooHot, .overloaded, .engineFailed, .sessionExists, .decodingFailure:
        Program.Status.failed
      }
    case .engine(let failure):
      switch failure {
      case .unavailable: Status.unavailable
      case .contextWindowExceeded, .unsupportedSchema: Status.unsuitable
      case .cancelled: Program.Status.interrupted
      case .died, .overloaded, .refused: Program.Status.failed
      }
    }
  }
}

extension Collection<UInt8> where Self: BidirectionalCollection {
  fileprivate var hasLineFeedAtEnd: Bool { last == UInt8(ascii: "\n") }
}

/// Ctrl-C: cancels the request; before there is one it ends the process.
private final class Interruption: Sendable {
  private struct State {
    var signal: Int32?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The signal that came.
  var signal: Int32? { state.withLock { $0.signal } }

  func receive(_ signal: Int32) {
    let cancel = state.withLock { state in
      state.signal = signal
      return state.cancel
    }
    guard let cancel else { _exit(128 + signal) }
    cancel()
  }

  func cancels(_ cancel: @escaping @Sendable () -> Void) { state.withLock { $0.cancel = cancel } }
}

/// What a person sees while a request runs: the text as it comes, and before it a line about the loading.
private final class Screen: Sendable {
  private struct State {
    var progressIsShown = false
    var lineIsOpen = false
  }

  /// The text is shown as it comes.
  let streams = Terminal.outputIsTerminal
  private let showsProgress = Terminal.errorIsTerminal && !Terminal.isDumb
  private let state = Mutex(State())

  var sink: RequestSink {
    var sink = RequestSink()
    if streams { sink.sendPartial = { [self] in show($0) } }
    if showsProgress { sink.report = { [self] in show($0) } }
    return sink
  }

  func clearProgress() {
    let wasShown = state.withLock { state in
      defer { state.progressIsShown = false }
      return state.progressIsShown
    }
    if wasShown { Terminal.writeError("\r\u{1B}[K") }
  }

  /// So that a message does not begin behind an unfinished text.
  func breakLine() {
    if state.withLock({ $0.lineIsOpen }) { Terminal.write("\n") }
  }

  private func show(_ partial: PartialResult) {
    guard case .delta(let delta) = partial else { return }
    clearProgress()
    // The engine died and the text begins anew.
    if delta.offset == 0 { breakLine() }
    state.withLock { $0.lineIsOpen = true }
    Terminal.write(TerminalText.neutralise(delta.delta))
  }

  private func show(_ progress: WorkDoneProgress) {
    guard case .report(let report) = progress, let message = report.message, let percentage = report.percentage else {
      return
    }
    if state.withLock({ $0.lineIsOpen }) { return }
    state.withLock { $0.progressIsShown = true }
    Terminal.writeError("\r\u{1B}[K\(message): \(percentage) %")
  }
}
