import Assistant
import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// An engine whose answers are written down. Each request gets the next script; the last goes on for all that follow.
final class ScriptedEngine: EngineService {
  enum Step: Sendable {
    case event(EngineJobEvent)
    /// Goes on when the gate opens.
    case wait(Gate<Void>)
  }

  /// What is answered to a request, by its number.
  private let answer: @Sendable (GenerateParams, Int) -> [Step]
  private let seen = Mutex<[GenerateParams]>([])
  private let watchers = Mutex<[AsyncStream<EngineAvailability>.Continuation]>([])
  private let report = Mutex(EngineReport())
  private let loadFailure: Unavailability?
  private let finishes = Atomic(0)
  /// Opened when a request is cancelled.
  let cancelled = Gate<Void>()

  init(_ scripts: [[Step]], loadFailure: Unavailability? = nil) {
    answer = { _, number in scripts[min(number, scripts.count - 1)] }
    self.loadFailure = loadFailure
  }

  /// Writes to each request what the closure says, in one piece.
  init(writes: @escaping @Sendable (GenerateParams, _ number: Int) -> String) {
    answer = { [.event(.text(writes($0, $1))), .event(.finished(.scripted()))] }
    loadFailure = nil
  }

  /// Answers by the request instead of by its number.
  init(answers: @escaping @Sendable (GenerateParams) -> [Step]) {
    answer = { params, _ in answers(params) }
    loadFailure = nil
  }

  /// Answers with the pieces, then finishes.
  convenience init(pieces: [String], _ result: GenerateResult = .scripted()) {
    self.init([pieces.map { .event(.text($0)) } + [.event(.finished(result))]])
  }

  var prompts: [GenerateParams] { seen.withLock { $0 } }

  func generate(_ params: GenerateParams) -> EngineJob {
    let number = seen.withLock { seen in
      seen.append(params)
      return seen.count - 1
    }
    return play(answer(params, number))
  }

  func count(_ text: String) -> EngineJob { play([.event(.counted(text.utf8.count))]) }

  private func play(_ steps: [Step]) -> EngineJob {
    let (stream, continuation) = AsyncStream.makeStream(of: EngineJobEvent.self)
    continuation.onTermination = { [cancelled] reason in
      if case .cancelled = reason { cancelled.open() }
    }
    Task {
      for step in steps {
        switch step {
        case .event(let event): continuation.yield(event)
        case .wait(let gate): await gate.wait()
        }
      }
      continuation.finish()
    }
    return EngineJob(events: stream, flags: EngineJob.Flags()) { [self] wish in
      guard case .finish = wish else { return }
      finishes.add(1, ordering: .relaxed)
      continuation.yield(.finished(.scripted()))
      continuation.finish()
    }
  }

  /// How many answers were ended before their time.
  var finishCount: Int { finishes.load(ordering: .relaxed) }

  func status() async -> EngineReport { report.withLock { $0 } }

  func load(path: String, force: Bool) async throws(Unavailability) {
    if let loadFailure { throw loadFailure }
    var facts = ModelFacts()
    facts.name = "other"
    facts.path = path
    report.withLock { report in
      report.model = facts
      report.modelPath = path
      report.availability = .available
    }
    announce(.available)
  }

  func unload() async {
    report.withLock { $0 = EngineReport() }
    announce(.unavailable(.unloaded))
  }

  func availabilityChanges() -> AsyncStream<EngineAvailability> {
    let (stream, continuation) = AsyncStream.makeStream(of: EngineAvailability.self)
    watchers.withLock { $0.append(continuation) }
    return stream
  }

  func announce(_ availability: EngineAvailability) {
    for watcher in watchers.withLock({ $0 }) { watcher.yield(availability) }
  }
}

extension GenerateParams {
  /// The text that the last message asks to rewrite.
  var source: String {
    let text = messages.last?.text ?? ""
    return text.firstRange(of: "\n\n").map { String(text[$0.upperBound...]) } ?? text
  }
}

extension String {
  /// As the text stands in a prompt: without white space at its ends.
  var asPrompted: String {
    let edge: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    let scalars = Array(Array(unicodeScalars).drop(while: edge).reversed().drop(while: edge).reversed())
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}

/// A client of a server, with what it was told besides its replies.
final class TestClient: Sendable {
  let connection: Connection
  private let progress = Box<Progress.Params>()
  private let announced = Box<Availability>()
  private let changed = Box<SessionDidChange.Params>()
  private let configured = Box<DidChangeConfiguration.Params>()
  private let serving: Task<ConnectionEnd, Never>

  /// - Parameter tool: runs the client's tools.
  convenience init(
    _ engine: any EngineService, framing: Framing = .header, thermometer: Thermometer = Thermometer(root: "/dev/null"),
    tool: (@Sendable (ToolCall.Params) async throws(RPCError) -> JSONValue)? = nil
  ) async {
    await self.init(
      server: AssistantServer(engine: engine, version: "1.2.3", thermometer: thermometer), framing: framing, tool: tool)
  }

  /// One of several clients of a server.
  init(
    server: AssistantServer, framing: Framing = .header,
    tool: (@Sendable (ToolCall.Params) async throws(RPCError) -> JSONValue)? = nil
  ) async {
    let (near, far) = InMemoryChannel.pair()
    let started = Gate<Void>()
    serving = Task { await server.serve(far, framing: framing, started: { _ in started.open() }) }
    var router = Router()
    router.on(Progress.self) { [progress] params, _ in progress.append(params) }
    router.on(ModelDidChangeAvailability.self) { [announced] params, _ in announced.append(params.availability) }
    router.on(DidChangeConfiguration.self) { [configured] params, _ in configured.append(params) }
    if let tool { router.on(AnyToolCall.self) { params, _ throws(RPCError) in try await tool(params) } }
    router.on(SessionDidChange.self) { [changed] params, _ in changed.append(params) }
    connection = Connection(channel: near, framing: framing, router: router, lifecycle: .none)
    connection.start()
    await started.wait()
  }

  var reports: [Progress.Params] { progress.all }
  var availabilities: [Availability] { announced.all }
  var configurations: [DidChangeConfiguration.Params] { configured.all }
  var sessionChanges: [SessionDidChange.Params] { changed.all }

  /// The partial results of a token, in order.
  func partials(_ token: ProgressToken) -> [PartialResult] {
    reports.filter { $0.token == token }.compactMap { if case .partial(let value) = $0.value { value } else { nil } }
  }

  /// The progress reports of a token, in order.
  func work(_ token: ProgressToken) -> [WorkDoneProgress] {
    reports.filter { $0.token == token }.compactMap { if case .workDone(let value) = $0.value { value } else { nil } }
  }

  @discardableResult
  func initialize(encodings: [PositionEncoding] = [], knowsAssistant: Bool = true) async throws -> Initialize.Result {
    var params = Initialize.Params()
    if !encodings.isEmpty {
      params.capabilities.general = GeneralCapabilities()
      params.capabilities.general?.positionEncodings = encodings.map(\.rawValue)
    }
    if knowsAssistant { params.capabilities.experimental = ["assistant": true] }
    let result = try await connection.request(Initialize.self, params, timeout: .seconds(5))
    connection.notify(Initialized.self, Empty())
    // Both sides have taken note when a later request is answered.
    _ = try await connection.request(ModelStatus.self, Empty(), timeout: .seconds(5))
    return result
  }

  func end() async -> ConnectionEnd {
    connection.close()
    return await serving.value
  }
}

/// `tool/call` with any answer.
private enum AnyToolCall: RequestMethod {
  static let name = ToolCall.name
  typealias Params = ToolCall.Params
  typealias Result = JSONValue
}

/// What arrives on another thread, in order.
final class Box<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  var all: [Element] { elements.withLock { $0 } }
  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
