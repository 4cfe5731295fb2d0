import Assistant
import EngineProtocol
import JSONRPC
import Synchronization

/// How a scripted engine behaves. The default says hello, loads and answers every prompt with “ok”.
struct ChildScript: Sendable {
  /// When the child's process ends by itself.
  enum Stage { case spawning, hello, loading, generating, never }

  typealias Generate =
    @Sendable (GenerateParams, _ emit: @Sendable (String) -> Void) async throws(RPCError) -> GenerateResult

  var buildID = "build"
  var dies = Stage.never
  var exit = ChildExitStatus.signalled(6)
  var loadError: RPCError?
  /// A file of this name cannot be loaded.
  var refusesPath: String?
  /// Waits here before it answers the load, when there is a gate.
  var loadGate: Gate<Void>?
  var generate: Generate = { _, emit throws(RPCError) in
    emit("ok")
    return .scripted()
  }
}

extension GenerateResult {
  static func scripted(_ reason: FinishReason = .stop) -> GenerateResult {
    var result = GenerateResult()
    result.finishReason = reason
    result.promptTokens = 20
    result.cachedTokens = 10
    result.completionTokens = 5
    result.contextUsed = 25
    result.contextSize = 8192
    return result
  }
}

/// Starts scripted engines behind in-memory channels: the wire is the real one. The n-th child plays the n-th script;
/// the last script goes on for all that follow.
final class ScriptedLauncher: ChildLauncher {
  private let scripts: [ChildScript]
  private let started = Mutex<[ScriptedChild]>([])

  init(_ scripts: [ChildScript] = [ChildScript()]) { self.scripts = scripts }

  var children: [ScriptedChild] { started.withLock { $0 } }

  func launch() throws(ChildLaunchError) -> any ChildProcess {
    let script = started.withLock { scripts[min($0.count, scripts.count - 1)] }
    if script.dies == .spawning { throw ChildLaunchError("no more processes") }
    let child = started.withLock { started in
      let child = ScriptedChild(script, number: started.count + 1)
      started.append(child)
      return child
    }
    child.start()
    return child
  }
}

final class ScriptedChild: ChildProcess {
  let processID: Int
  let channel: any ByteChannel
  private let script: ChildScript
  private let farEnd: InMemoryChannel
  private let connection = Mutex<Connection?>(nil)
  private let exit = Gate<ChildExitStatus>()
  private let seen = Mutex<[GenerateParams]>([])
  private let loaded = Mutex<EngineLoad.Params?>(nil)

  init(_ script: ChildScript, number: Int) {
    self.script = script
    processID = number
    let (near, far) = InMemoryChannel.pair()
    channel = near
    farEnd = far
  }

  /// The prompts that arrived.
  var prompts: [GenerateParams] { seen.withLock { $0 } }

  /// What it was told to load.
  var load: EngineLoad.Params? { loaded.withLock { $0 } }

  func start() {
    var router = Router()
    router.on(EngineLoad.self) { [weak self] params, _ throws(RPCError) in
      guard let self else { throw .cancelled }
      return try await self.load(params)
    }
    router.on(EngineGenerate.self) { [weak self] params, context throws(RPCError) in
      guard let self else { throw .cancelled }
      return try await self.generate(params, context)
    }
    router.on(EngineCount.self) { params, _ throws(RPCError) in
      var result = EngineCount.Result()
      result.tokens = params.text.utf8.count
      return result
    }
    router.on(EngineStatus.self) { _, _ throws(RPCError) in EngineStatus.Result() }
    let connection = Connection(channel: farEnd, framing: .header, router: router, lifecycle: .none)
    self.connection.withLock { $0 = connection }
    connection.start()
    if script.dies == .hello { return die() }
    connection.notify(EngineHello.self, EngineHello.Params(buildID: script.buildID, processID: processID))
  }

  private func load(_ params: EngineLoad.Params) async throws(RPCError) -> ModelFacts {
    loaded.withLock { $0 = params }
    if script.dies == .loading { die() }
    if let gate = script.loadGate { await gate.wait() }
    if let error = script.loadError { throw error }
    if let name = script.refusesPath, params.path.hasSuffix("/" + name) {
      throw RPCError(code: EngineErrorCode.loadFailed.rawValue, message: "broken", data: ["reason": "modelInvalid"])
    }
    var facts = ModelFacts()
    facts.name = "scripted"
    facts.path = params.path
    facts.contextSize = 8192
    return facts
  }

  private func generate(_ params: GenerateParams, _ context: RequestContext) async throws(RPCError) -> GenerateResult {
    seen.withLock { $0.append(params) }
    if script.dies == .generating { die() }
    return try await script.generate(params) { text in
      context.notify(EngineText.self, EngineText.Params(request: params.request, text: text))
    }
  }

  func beat(steps: Int) {
    connection.withLock { $0 }?.notify(
      EngineHeartbeat.self, EngineHeartbeat.Params(steps: steps, stepMilliseconds: 10))
  }

  /// The process ends by itself, or by somebody outside.
  func die(_ status: ChildExitStatus? = nil) {
    exit.open(with: status ?? script.exit)
    farEnd.close()
  }

  func kill() { die(.signalled(9)) }

  func waitForExit() async -> ChildExitStatus { await exit.wait() }
}

/// A value that comes later; the first one counts.
final class Gate<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [CheckedContinuation<Value, Never>] = []
  }

  private let state = Mutex(State())

  func open(with value: Value) {
    let waiting = state.withLock { state in
      guard state.value == nil else { return [CheckedContinuation<Value, Never>]() }
      state.value = value
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }

  @discardableResult
  func wait() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.withLock { state in
        if state.value == nil { state.waiting.append(continuation) }
        return state.value
      }
      if let value { continuation.resume(returning: value) }
    }
  }
}

extension Gate where Value == Void {
  func open() { open(with: ()) }
}

/// Time that passes when a test says so.
final class ManualClock: SupervisorClock {
  private struct Sleeper {
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Duration.zero
    var next = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  func now() -> Duration { state.withLock { $0.now } }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  /// Ends a sleep that is at most so long from now, if there is one.
  func passSleep(of most: Duration) {
    let rest = state.withLock { state in
      state.sleepers.values.map { $0.deadline - state.now }.min()
    }
    if let rest, rest <= most { advance(by: rest) }
  }

  func wait(until deadline: Duration) async throws {
    let key = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        enum Outcome { case sleeps, isDue, isCancelled }
        let outcome = state.withLock { state -> Outcome in
          if state.cancelled.remove(key) != nil { return .isCancelled }
          if deadline <= state.now { return .isDue }
          state.sleepers[key] = Sleeper(deadline: deadline, continuation: continuation)
          return .sleeps
        }
        switch outcome {
        case .sleeps: break
        case .isDue: continuation.resume()
        case .isCancelled: continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: key)
        if sleeper == nil { state.cancelled.insert(key) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
