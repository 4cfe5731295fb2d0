import Assistant
import AssistantProtocol
import EngineProtocol
import Synchronization
import TestSupport

/// An engine that answers what a function says to each prompt, and knows which jobs are running. Tokens are bytes, a
/// quarter of them.
final class ReadingEngine: EngineService {
  enum Answer: Sendable {
    case text(String, GenerateResult = .scripted())
    case failure(EngineFailure)
    /// Waits for the gate, then goes on.
    indirect case after(Gate<Void>, Answer)
    /// The engine dies once before the answer.
    indirect case restarted(Answer)
  }

  private struct State {
    var prompts: [GenerateParams] = []
    var running: [Int: GenerateParams] = [:]
    var mostRunning = 0
  }

  private let state = Mutex(State())
  private let contextSize: Int
  private let parameterCount: Int
  private let answer: @Sendable (GenerateParams, _ number: Int) -> Answer

  /// - Parameter parameterCount: weights of the model; 0 when it says nothing of them.
  init(
    contextSize: Int = 8192, parameterCount: Int = 0,
    _ answer: @escaping @Sendable (GenerateParams, _ number: Int) -> Answer
  ) {
    self.contextSize = contextSize
    self.parameterCount = parameterCount
    self.answer = answer
  }

  var prompts: [GenerateParams] { state.withLock { $0.prompts } }
  var running: Int { state.withLock { $0.running.count } }
  var runningPrompts: [GenerateParams] { state.withLock { Array($0.running.values) } }
  var mostRunning: Int { state.withLock { $0.mostRunning } }

  static func tokens(_ text: String) -> Int { (text.utf8.count + 3) / 4 }

  func count(_ text: String) -> EngineJob {
    let (stream, continuation) = AsyncStream.makeStream(of: EngineJobEvent.self)
    continuation.yield(.counted(Self.tokens(text)))
    continuation.finish()
    return EngineJob(events: stream, flags: EngineJob.Flags()) { _ in }
  }

  func generate(_ params: GenerateParams) -> EngineJob {
    let number = state.withLock { state in
      state.prompts.append(params)
      let number = state.prompts.count - 1
      state.running[number] = params
      state.mostRunning = max(state.mostRunning, state.running.count)
      return number
    }
    let (stream, continuation) = AsyncStream.makeStream(of: EngineJobEvent.self)
    continuation.onTermination = { [self] _ in state.withLock { $0.running[number] = nil } }
    let prompt = params.messages.reduce(0) { $0 + Self.tokens($1.text) + 4 }
    let reserve = min(params.maxTokens, 64)
    let answer =
      prompt + reserve > contextSize
      ? .failure(.contextWindowExceeded(promptTokens: prompt, contextSize: contextSize, reservedForOutput: reserve))
      : answer(params, number)
    Task { await Self.play(answer, continuation) }
    return EngineJob(events: stream, flags: EngineJob.Flags()) { _ in }
  }

  private static func play(_ answer: Answer, _ events: AsyncStream<EngineJobEvent>.Continuation) async {
    switch answer {
    case .text(let text, let result):
      // In pieces of a few scalars, as a model writes.
      var rest = Substring(text).unicodeScalars
      while !rest.isEmpty {
        events.yield(.text(String(rest.prefix(5))))
        rest = rest.dropFirst(5)
      }
      events.yield(.finished(result))
      events.finish()
    case .failure(let failure):
      events.yield(.failed(failure))
      events.finish()
    case .after(let gate, let next):
      await gate.wait()
      await play(next, events)
    case .restarted(let next):
      events.yield(.text("void. "))
      events.yield(.restarted)
      await play(next, events)
    }
  }

  func status() async -> EngineReport {
    var report = EngineReport()
    report.model = ModelFacts()
    report.model?.contextSize = contextSize
    report.model?.parameterCount = parameterCount
    report.availability = .available
    return report
  }

  func load(path: String, force: Bool) async throws(Unavailability) {}
  func unload() async throws(Unavailability) {}
  func availabilityChanges() -> AsyncStream<EngineAvailability> { AsyncStream { $0.finish() } }
}

extension GenerateParams {
  /// The text the model is to work on: what follows the task.
  var workedOn: String {
    let text = messages.last?.text ?? ""
    guard let border = text.unicodeScalars.firstRange(of: "\n\n".unicodeScalars) else { return "" }
    return String(text[border.upperBound...])
  }
}
