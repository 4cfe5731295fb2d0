import Engine
import EngineProtocol
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// An engine in this process and the front end's side of its connection.
final class EngineHarness: Sendable {
  /// What the engine has sent without being asked, in order.
  enum Note: Sendable {
    case hello(EngineHello.Params)
    case loadProgress(Double)
    case text(Int, String)
    case prefill(Int, done: Int, total: Int)
    case heartbeat(EngineHeartbeat.Params)
    case structured(Int, JSONValue)
    case notice(String)
  }

  let connection: Connection
  let server = EngineServer()
  private let notes: NoteLog
  private let serving: Task<ConnectionEnd, any Error>

  init() {
    let (mine, engines) = InMemoryChannel.pair()
    let notes = NoteLog()
    var router = Router()
    router.on(EngineHello.self) { params, _ in notes.add(.hello(params)) }
    router.on(EngineLoadProgress.self) { params, _ in notes.add(.loadProgress(params.fraction)) }
    router.on(EngineText.self) { params, _ in notes.add(.text(params.request, params.text)) }
    router.on(EnginePrefillProgress.self) { params, _ in
      notes.add(.prefill(params.request, done: params.done, total: params.total))
    }
    router.on(EngineHeartbeat.self) { params, _ in notes.add(.heartbeat(params)) }
    router.on(EngineStructured.self) { params, _ in notes.add(.structured(params.request, params.value)) }
    router.on(EngineNotice.self) { params, _ in notes.add(.notice(params.message)) }
    connection = Connection(channel: mine, framing: .header, router: router, lifecycle: .none)
    self.notes = notes
    let server = server
    serving = Task { try await server.serve(engines, buildID: "test-build", processID: 42) }
    connection.start()
  }

  deinit { connection.close() }

  var seen: [Note] { notes.all }

  func text(of request: Int) -> String {
    seen.reduce(into: "") { if case .text(request, let piece) = $1 { $0 += piece } }
  }

  /// The snapshots of a request's value, in order.
  func values(of request: Int) -> [JSONValue] {
    seen.compactMap { if case .structured(request, let value) = $0 { value } else { nil } }
  }

  var beats: [EngineHeartbeat.Params] {
    seen.compactMap { if case .heartbeat(let beat) = $0 { beat } else { nil } }
  }

  /// Waits until the notes so far satisfy the condition.
  func wait(_ what: String, until condition: @escaping @Sendable ([Note]) -> Bool) async throws {
    try await withDeadline(.seconds(120), what) { await self.notes.wait(until: condition) }
  }

  /// Waits for the engine's end after its connection's.
  func ending() async throws -> ConnectionEnd {
    try await withDeadline(.seconds(20), "the engine's end") { try await self.serving.value }
  }

  /// Loads the default model as tests want it.
  @discardableResult
  func load(
    context: Int = 2048, reproducible: Bool = true, change: (inout EngineLoad.Params) -> Void = { _ in }
  ) async throws -> ModelFacts {
    let path = try DefaultModel.path()
    var params = EngineLoad.Params(path: path, contextSize: context, threads: 1, reproducible: reproducible)
    change(&params)
    return try await request(EngineLoad.self, params)
  }

  func request<R: RequestMethod>(_ method: R.Type, _ params: R.Params) async throws -> R.Result {
    try await withDeadline(.seconds(180), R.name) { try await self.connection.request(method, params) }
  }

  /// Sends a request that must fail and gives its error.
  func failure<R: RequestMethod>(
    _ method: R.Type, _ params: R.Params, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> RPCError? {
    do {
      _ = try await request(method, params)
      Issue.record("\(R.name) succeeded", sourceLocation: sourceLocation)
    } catch let error as RPCError {
      return error
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
    return nil
  }
}

/// Notes that come from one thread and are waited for by others.
private final class NoteLog: Sendable {
  private struct Waiter {
    var condition: @Sendable ([EngineHarness.Note]) -> Bool
    var continuation: CheckedContinuation<Void, Never>
  }
  private struct State {
    var notes: [EngineHarness.Note] = []
    var waiters: [Waiter] = []
  }
  private let state = Mutex(State())

  var all: [EngineHarness.Note] { state.withLock { $0.notes } }

  func add(_ note: EngineHarness.Note) {
    let ready = state.withLock { state in
      state.notes.append(note)
      let ready = state.waiters.filter { $0.condition(state.notes) }
      if !ready.isEmpty { state.waiters.removeAll { $0.condition(state.notes) } }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  func wait(until condition: @escaping @Sendable ([EngineHarness.Note]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isMet = state.withLock { state in
        if condition(state.notes) { return true }
        state.waiters.append(Waiter(condition: condition, continuation: continuation))
        return false
      }
      if isMet { continuation.resume() }
    }
  }
}

extension GenerateParams {
  init(_ request: Int, _ text: String, maxTokens: Int = 24, system: String? = nil) {
    self.init()
    self.request = request
    messages = (system.map { [PromptMessage(.system, $0)] } ?? []) + [PromptMessage(.user, text)]
    pinnedMessages = system == nil ? 0 : 1
    self.maxTokens = maxTokens
  }
}
