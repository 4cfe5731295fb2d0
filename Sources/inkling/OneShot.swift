import Assistant
import AssistantProtocol
import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One request of the command line, without a daemon: reads the text, starts an engine, shows what comes, heeds Ctrl-C.
enum OneShot {
  /// Exit statuses besides those that all commands share.
  enum Status {
    static let unavailable: Int32 = 3
    static let unsuitable: Int32 = 4
  }

  /// For `--help`.
  /// - Parameters:
  ///   - usage: what status 2 means for the command.
  ///   - unsuitable: what status 4 means for the command.
  static func exitStatuses(usage: String = "The command line is wrong.", unsuitable: String) -> [(Int32, String)] {
    [
      (0, "The result was written."), (1, "The request failed; standard error says why, standard output is empty."),
      (2, usage), (3, "The model cannot be loaded."), (4, unsuitable), (130, "Interrupted."),
    ]
  }

  /// Runs one request to the exit status of the process.
  /// - Parameters:
  ///   - streams: whether the result's text is shown as it comes when a person watches.
  ///   - work: the request, given the text.
  ///   - finish: writes the result and gives the exit status.
  static func run<Output: Sendable>(
    _ settings: some OneShotSettings, streams: Bool,
    work: @escaping @Sendable (FeatureRunner, _ text: String, RequestSink) async throws(RequestFailure) -> Output,
    finish: (Output, Screen) -> Int32
  ) async -> Int32 {
    if let problem = settings.personalityProblem { return fail(problem, Program.Status.usage) }
    signal(SIGPIPE, SIG_IGN)
    let interruption = Interruption()
    Signals.onFirst { interruption.receive($0) }
    let text: String
    do throws(InputError) {
      text = if let argument = settings.request.text { argument } else { try readText(settings.request.file) }
    } catch {
      return fail(error.message, Status.unsuitable)
    }
    let supervisor = settings.engine.makeSupervisor(log: .standardError(level: .error))
    let file = settings.engine.configurationFile
    let engine = BoundedEngine(base: supervisor) { file.current.limits.outputTokens }
    let screen = Screen(streams: streams && !settings.request.showsJSON)
    let task = Task { () async -> Result<Output, RequestFailure> in
      do throws(RequestFailure) {
        return .success(try await work(FeatureRunner(engine: engine), text, screen.sink))
      } catch {
        return .failure(error)
      }
    }
    interruption.cancels { task.cancel() }
    let limit = TimeLimit(settings.request.timeout) { task.cancel() }
    let outcome = await task.value
    limit.end()
    await supervisor.shutDown()
    screen.clearProgress()
    switch outcome {
    case .success(let output): return finish(output, screen)
    case .failure(let failure):
      screen.breakLine()
      if let signal = interruption.signal { return 128 + signal }
      if limit.hasPassed { return fail("there was no result within the time of --timeout", Program.Status.failed) }
      // Messages name the fields of the protocol.
      let message = failure.wireError.message.replacing("maxTokens", with: "--max-tokens")
      return fail(message, status(of: failure))
    }
  }

  /// Writes a result and its warnings: what has been streamed is completed, what has not is written whole.
  /// - Parameters:
  ///   - text: the result as a text; with `--json` the whole result is written instead.
  ///   - addsLineFeed: the text ends in a line feed even when the result does not.
  static func write(
    _ text: String, of result: some GenerationResult, _ settings: some OneShotSettings, _ screen: Screen,
    addsLineFeed: Bool = true
  ) -> Int32 {
    let written = settings.request.showsJSON ? JSONWriter.text(of: result.json) + "\n" : text
    let isOpen = written.utf8.last != UInt8(ascii: "\n")
    let status =
      if screen.streams {
        isOpen ? Terminal.write("\n") : 0
      } else {
        Terminal.write(
          (Terminal.outputIsTerminal ? TerminalText.neutralise(written) : written)
            + (addsLineFeed && isOpen ? "\n" : "")
        )
      }
    if status != 0 { return fail("standard output cannot be written", status) }
    for warning in result.common.warnings { warn(warning.message) }
    return 0
  }

  /// Says in one line why there is no result.
  static func fail(_ message: String, _ status: Int32) -> Int32 {
    say(message)
    return status
  }

  static func warn(_ message: String) { say("warning: " + message) }

  private static func say(_ message: String) {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    Terminal.writeError("inkling: \(TerminalText.neutralise(line))\n")
  }

  /// A text that cannot be worked on.
  struct InputError: Error {
    let message: String
  }

  /// The text of bytes that were read up to one more than is allowed.
  /// - Parameters:
  ///   - bytes: nil when they could not be read.
  ///   - name: what was read, as the beginning of a sentence.
  static func text(from bytes: [UInt8]?, named name: String) throws(InputError) -> String {
    guard let bytes else { throw InputError(message: "\(name) cannot be read") }
    // First, since what is cut off may end inside a character.
    try checkLength(bytes.count, of: name)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw InputError(message: "\(name) is not UTF-8") }
    return text
  }

  static func checkLength(_ count: Int, of name: String) throws(InputError) {
    guard count <= Limits.textBytes else { throw InputError(message: "\(name) is longer than 4 MiB") }
  }

  /// - Parameter file: nil: standard input.
  private static func readText(_ file: String?) throws(InputError) -> String {
    if let file {
      let bytes = Terminal.readFile(file, limit: Limits.textBytes, waitsForWriter: true)
      return try text(from: bytes, named: "“\(file)”")
    }
    if Terminal.inputIsTerminal { Terminal.writeError("inkling: type the text, then Ctrl-D\n") }
    return try text(from: Terminal.readInput(limit: Limits.textBytes), named: "the text")
  }

  private static func status(of failure: RequestFailure) -> Int32 {
    switch failure {
    case .assistant(let error):
      switch error.kind {
      case .emptyPrompt, .contextWindowExceeded, .unsupportedSchema: Status.unsuitable
      case .modelUnavailable: Status.unavailable
      case .sessionNotFound, .sessionBusy, .guardrailViolation, .refusal, .emptyOutput, .toolFailed, .tooHot,
        .overloaded, .engineFailed, .sessionExists, .decodingFailure:
        Program.Status.failed
      }
    case .engine(let failure):
      switch failure {
      case .unavailable: Status.unavailable
      case .contextWindowExceeded, .unsupportedSchema: Status.unsuitable
      case .cancelled: Program.Status.interrupted
      case .died, .overloaded, .refused: Program.Status.failed
      }
    case .invalid: Program.Status.usage
    case .store: Program.Status.failed
    }
  }
}
