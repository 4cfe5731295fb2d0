import Assistant
import AssistantProtocol
import Client
import JSON
import JSONRPC

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One request of the command line: reads the text, asks the assistant, shows what comes, heeds Ctrl-C.
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
  ///   - params: the request for the text.
  ///   - finish: writes the result and gives the exit status.
  static func run<Method: RequestMethod>(
    _ settings: some OneShotSettings, _: Method.Type, streams: Bool,
    params: @Sendable (_ text: String) -> Method.Params, finish: (Method.Result, Screen) -> Int32
  ) async -> Int32 {
    if let problem = settings.personalityProblem { return fail(problem, Program.Status.usage) }
    signal(SIGPIPE, SIG_IGN)
    let interruption = Interruption()
    Signals.onFirst { interruption.receive($0) }
    let text: String
    let assistant: CommandAssistant
    do throws(InputError) {
      text = if let argument = settings.request.text { argument } else { try readText(settings.request.file) }
    } catch {
      return fail(error.message, Status.unsuitable)
    }
    do throws(DaemonError) {
      let command = String(Method.name.split(separator: "/").last ?? "")
      assistant = try CommandAssistant(settings.engine, isPrivate: settings.isPrivate, name: command)
    } catch {
      return fail("\(error.message) \(error.remedy) “--private” needs no daemon.", Status.unavailable)
    }
    let screen = Screen(streams: streams && !settings.request.showsJSON)
    let request = params(text)
    let task = Task { () async -> Result<Method.Result, RPCError> in
      do throws(RPCError) {
        try await settings.makeSession(assistant.service)
        return .success(
          try await assistant.service.call(Method.self, request, wanting: screen.wanted) { screen.show($0) })
      } catch {
        return .failure(error)
      }
    }
    let cancel: @Sendable () -> Void = {
      task.cancel()
      // Who waits for a command that was interrupted waits no longer than this.
      Task {
        try await Task.sleep(for: .seconds(2))
        assistant.hangUp()
      }
    }
    interruption.cancels(cancel)
    let limit = TimeLimit(settings.request.timeout, cancel: cancel)
    let outcome = await task.value
    limit.end()
    await assistant.close()
    screen.clearProgress()
    switch outcome {
    case .success(let output): return finish(output, screen)
    case .failure(let error):
      screen.breakLine()
      if let signal = interruption.signal { return 128 + signal }
      if limit.hasPassed { return fail("there was no result within the time of --timeout", Program.Status.failed) }
      // Messages name the fields of the protocol.
      var message = error.message.replacing("maxTokens", with: "--max-tokens")
      if status(of: error) == Status.unavailable, !settings.isPrivate {
        message += " The shared daemon keeps the model that it was started with; “inkling stop” ends it."
      }
      return fail(message, status(of: error))
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
    if status != 0 { return status }
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

  private static func status(of error: RPCError) -> Int32 {
    let kind = AssistantErrorKind.allCases.first { $0.code == error.code }
    switch kind {
    case .emptyPrompt?, .contextWindowExceeded?, .unsupportedSchema?: return Status.unsuitable
    case .modelUnavailable?: return Status.unavailable
    case .sessionNotFound?, .sessionBusy?, .guardrailViolation?, .refusal?, .emptyOutput?, .toolFailed?, .tooHot?,
      .overloaded?, .engineFailed?, .sessionExists?, .decodingFailure?:
      return Program.Status.failed
    case nil:
      return error.code == StandardErrorCode.invalidParams.rawValue ? Program.Status.usage : Program.Status.failed
    }
  }
}
