import AssistantProtocol
import EngineProtocol
import JSON

/// Answers `assistant/chat`: shows the model what was said in the session, as far as its window holds it, and what is
/// said now.
struct ChatRunner: Sendable {
  /// What a turn has come to.
  struct Outcome: Sendable {
    var result: Chat.Result
    /// The session's, with the new turn.
    var transcript: Transcript
  }

  /// Tokens of the window that must be free for the answer, where older turns can make way for it.
  static let leastRoom = 256
  private static let mostTokens = 1_024

  /// For menus; part of the answer to `initialize`.
  static let description = FeatureDescription(
    id: "chat", title: "Chat", description: "Answers what is said, with what was said before in mind.", input: .topic,
    output: .show,
    suggestions: ["What makes a good opening sentence?", "Help me outline an article", "Ask me about my story"])

  let engine: any EngineService
  /// For who shows the progress.
  var title = Self.description.title

  /// - Parameter calls: those of tools by an earlier run for the same request, which are not made again.
  func run(
    _ params: Chat.Params, session: Session, tools: [Tool] = [], transcript: Transcript,
    encoding: PositionEncoding = .utf16, sink: RequestSink = RequestSink(), calls: ToolCalls = ToolCalls()
  ) async throws(RequestFailure) -> Outcome {
    var transcript = transcript
    let message: String
    if params.retry {
      guard let last = transcript.turns.popLast() else {
        throw .invalid(JSONMismatch(path: "retry", "needs something that was said before"))
      }
      guard last.prompt.feature == nil || last.prompt.feature == Chat.name else {
        throw .invalid(
          JSONMismatch(path: "retry", "takes a chat; the last turn is of \(last.prompt.feature ?? ""), send that again")
        )
      }
      message = last.prompt.words
    } else {
      message = params.message ?? ""
    }
    try message.checkIsVisible()
    let progress = ProgressReporter(title: title, report: sink.report)
    progress.begin()
    defer { progress.end() }
    var run = Run(
      engine: engine, params: params, session: session, message: message, sink: sink, progress: progress,
      tools: ToolRun(
        engine: engine, tools: tools, choice: params.toolChoice,
        sessionID: session.sessionID.text.isEmpty ? nil : session.sessionID, sink: sink,
        calls: calls),
      shown: TextComposer(encoding: encoding, mode: params.common.stream))
    return try await run.answer(transcript)
  }

  /// One request under way.
  private struct Run {
    let engine: any EngineService
    let params: Chat.Params
    let session: Session
    let message: String
    let sink: RequestSink
    var progress: ProgressReporter
    var tools: ToolRun
    var shown: TextComposer
    var costs = CallCosts()
    var retries: Set<ResultWarnings.Retry> = []
    var warnings: [Warning] = []

    mutating func answer(_ whole: Transcript) async throws(RequestFailure) -> Outcome {
      var transcript = whole
      var window = HistoryWindow(transcript, maxTurns: session.maxTurns)
      while true {
        do throws(RequestFailure) {
          var request = request(transcript, window)
          try await tools.run(request.messages, &progress)
          request.messages = ToolPrompt.asked(request.messages, tools.results)
          var written = try await write(request)
          if written.text.isEmpty, written.result.finishReason == .stop, request.sampling.temperature > 0 {
            retries.insert(.empty)
            written = try await write(request.hotter(1))
          }
          return try outcome(written, transcript, window)
        } catch {
          guard case .engine(.contextWindowExceeded(let promptTokens, let contextSize, let reserved)) = error else {
            throw error
          }
          let excess = promptTokens + reserved - contextSize
          if window.isWorthMore(than: tools.calls.longestResult, freeing: excess, session.contextPolicy) {
            if session.contextPolicy == .summarize, let shorter = try await summarised(transcript, window) {
              transcript = shorter
              window = HistoryWindow(transcript, maxTurns: session.maxTurns)
            } else {
              _ = window.shrink(promptTokens: promptTokens, by: excess)
            }
          } else if !tools.calls.dropLongestResult() {
            throw error
          }
        }
      }
    }

    // MARK: The prompt

    private func request(_ transcript: Transcript, _ window: HistoryWindow) -> GenerateParams {
      let options = params.common.options ?? GenerationOptions()
      var result = GenerateParams()
      let system = SessionPrompt.system(session, params.common, summary: transcript.summary)
      result.messages = [PromptMessage(.system, system)]
      result.pinnedMessages = 0
      result.isConversation = true
      result.messages += transcript.messages(from: window.first)
      result.messages.append(PromptMessage(.user, message))
      result.sampling = Sampling.talkative.applying(options)
      result.maxTokens = options.maxTokens ?? ChatRunner.mostTokens
      result.leastRoom = session.contextPolicy == .error || result.messages.count == 2 ? 0 : ChatRunner.leastRoom
      result.reasoning = options.reasoning
      return result
    }

    // MARK: The answer

    private struct Written {
      var text = ""
      var result = GenerateResult()
    }

    private mutating func write(_ request: GenerateParams) async throws(RequestFailure) -> Written {
      let job = engine.generate(request)
      var written = Written()
      var edges = TrimmedText()
      written.result = try await job.result { (news) async throws(RequestFailure) in
        switch news {
        case .loading(let fraction): progress.loading(fraction)
        case .reading(let done, let total): progress.reading(done: done, total: total)
        case .text(let piece):
          progress.writing()
          let text = edges.append(piece)
          written.text += text
          if let partial = shown.append(text) { try await sink.send(partial, of: job) }
        case .restarted:
          retries.insert(.engineRestarted)
          written.text = ""
          edges = TrimmedText()
          shown.restart()
        case .structured: break
        }
      }
      costs.add(written.result)
      return written
    }

    private func outcome(
      _ written: Written, _ transcript: Transcript, _ window: HistoryWindow
    ) throws(RequestFailure) -> Outcome {
      guard !written.text.isEmpty else { throw .assistant(.emptyOutput) }
      var common = CommonResult()
      var all = costs
      all.add(tools.costs)
      common.usage = all.usage
      common.finishReason = AssistantProtocol.FinishReason(written.result.finishReason)
      common.warnings =
        ResultWarnings.all(
          text: written.text, source: message, encoding: shown.encoding, result: written.result, retries: retries)
        + warnings
      if let warning = window.warning { common.warnings.append(warning) }
      var kept = transcript
      let now = Timestamp.now
      kept.turns.append(
        Transcript.Turn(
          prompt: TranscriptEntry(.prompt, message, feature: Chat.name, at: now),
          calls: tools.records.flatMap { $0.entries(at: now) },
          response: TranscriptEntry(.response, written.text, feature: Chat.name, at: now)))
      return Outcome(
        result: Chat.Result(text: written.text, toolCalls: tools.records, common: common), transcript: kept)
    }

    // MARK: Summaries

    /// The transcript with the older half of what is shown, all before it and the former summary as one summary; nil
    /// when the model has none to give.
    private mutating func summarised(
      _ transcript: Transcript, _ window: HistoryWindow
    ) async throws(RequestFailure) -> Transcript? {
      var result = transcript
      let count = window.first + (transcript.turns.count - window.first + 1) / 2
      let said = (transcript.summary.map { [$0.words] } ?? []) + transcript.turns.prefix(count).map(SessionPrompt.told)
      var request = Summarize.Params(text: said.joined(separator: "\n\n"))
      request.count = SessionPrompt.summarySentences
      var silent = RequestSink()
      silent.thermalState = sink.thermalState
      let summary: Summarize.Result
      do throws(RequestFailure) {
        summary = try await SummaryRunner(engine: engine).run(request, sink: silent)
      } catch {
        // It is no answer to what was said; the turns can still be left out.
        if error == .assistant(.refusal) || error == .assistant(.emptyOutput) { return nil }
        throw error
      }
      costs.add(summary.common.usage)
      do throws(RequestFailure) { try sink.guardrails.refuse([summary.text], on: .output) } catch {
        // It would be kept and shown.
        if case .assistant(.guardrailViolation) = error { return nil }
        throw error
      }
      result.summary = TranscriptEntry(.instructions, summary.text, feature: Summarize.name, at: Timestamp.now)
      result.turns.removeFirst(count)
      let turns = count == 1 ? "The oldest turn was" : "The oldest \(count) turns were"
      warnings.append(Warning(.historyShortened, "\(turns) replaced by a summary."))
      return result
    }
  }
}

/// What the model reads before the turns of a session.
enum SessionPrompt {
  /// What stands before the summary of older turns.
  static let summaryStart = "What was said before, in short: "

  /// A turn as a text that is summarised.
  static func told(_ turn: Transcript.Turn) -> String {
    turn.entries.map { entry in
      switch entry.role {
      case .prompt: "User: " + entry.words
      case .toolCall, .toolOutput: "Tool: " + entry.words
      case .response, .instructions: "Assistant: " + entry.words
      }
    }.joined(separator: "\n\n")
  }

  /// Of the summary that takes the place of older turns.
  static let summarySentences = 5

  static func system(_ session: Session, _ common: CommonParams, summary: TranscriptEntry?) -> String {
    let voice = (common.personality ?? session.personality).instructions
    let parts = [
      session.instructions.isBlank ? "You are a helpful assistant." : session.instructions.trimmed, voice,
      (common.instructions ?? "").trimmed, summary.map { summaryStart + $0.words } ?? "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Sampling {
  /// Varied, as in a conversation.
  static let talkative: Sampling = {
    var sampling = Sampling()
    sampling.temperature = 0.7
    sampling.minP = 0.05
    sampling.repetitionPenalty = 1.1
    return sampling
  }()
}
