import Assistant
import EngineProtocol
import JSONRPC
import Synchronization
import TestSupport

/// Starts engines that make and measure copies as a script says; the wire is the real one. A copy is a few bytes, and
/// the figures are always the same: the 8-bit copy takes 0.8 of the time and drifts 0.01, the 4-bit copy 0.5 and 0.3.
final class ScriptedWorkshop: ChildLauncher {
  enum Turn: Sendable {
    case works, dies
    case fails(String)
    case unsuitable(String)
    case sameForm
  }

  struct Script: Sendable {
    var quantize = Turn.works
    /// The 4-bit copy's own turn.
    var fourBit: Turn?
    var measure = Turn.works
    var buildID = "build"
  }

  private let script: Script
  private let count = Mutex(0)
  private let hanging = Mutex<Gate<Void>?>(nil)

  init(_ script: Script) { self.script = script }

  /// Engines there have been.
  var started: Int { count.withLock { $0 } }

  /// From now on engines never answer; the gate opens when the first is asked.
  func hang(_ gate: Gate<Void>) { hanging.withLock { $0 = gate } }

  func launch() throws(ChildLaunchError) -> any ChildProcess {
    count.withLock { $0 += 1 }
    let child = WorkshopChild()
    var router = Router()
    router.on(EngineQuantize.self) { [self] params, context throws(RPCError) in
      try await play(params.format == .fourBit ? script.fourBit ?? script.quantize : script.quantize, child)
      context.notify(EngineWorkProgress.self, EngineWorkProgress.Params(fraction: 1))
      guard (try? writeFile(params.target, Array("GGUF \(params.format.rawValue)".utf8))) != nil else {
        throw .internalError("cannot write")
      }
      return Empty()
    }
    router.on(EngineMeasure.self) { [self] params, _ throws(RPCError) in
      try await play(script.measure, child)
      var rows: [MeasuredModel] = []
      for path in params.paths {
        var row = MeasuredModel()
        row.perplexity = 20
        if path.contains("Q8_0") { (row.relativeTime, row.divergence) = (0.8, 0.01) }
        if path.contains("Q4_0") { (row.relativeTime, row.divergence) = (0.5, 0.3) }
        rows.append(row)
      }
      return EngineMeasure.Result(models: rows)
    }
    child.start(router, buildID: script.buildID)
    return child
  }

  private func play(_ turn: Turn, _ child: WorkshopChild) async throws(RPCError) {
    if let gate = hanging.withLock({ $0 }) {
      gate.open()
      _ = await child.waitForExit()
      throw .cancelled
    }
    switch turn {
    case .works: break
    case .dies:
      child.die(.signalled(6))
      throw .cancelled
    case .fails(let why): throw RPCError(code: EngineErrorCode.copyFailed.rawValue, message: why)
    case .sameForm: throw RPCError(code: EngineErrorCode.sameForm.rawValue, message: "in that form already")
    case .unsuitable(let why): throw RPCError(code: EngineErrorCode.notSuitable.rawValue, message: why)
    }
  }
}

/// The process of such an engine.
private final class WorkshopChild: ChildProcess {
  let processID = 1
  let channel: any ByteChannel
  private let farEnd: InMemoryChannel
  private let exit = Gate<ChildExitStatus>()
  private let connection = Mutex<Connection?>(nil)

  init() {
    let (near, far) = InMemoryChannel.pair()
    channel = near
    farEnd = far
  }

  func start(_ router: Router, buildID: String) {
    let connection = Connection(channel: farEnd, framing: .header, router: router, lifecycle: .none)
    self.connection.withLock { $0 = connection }
    connection.start()
    connection.notify(EngineHello.self, EngineHello.Params(buildID: buildID, processID: 1))
  }

  func die(_ status: ChildExitStatus) {
    exit.open(with: status)
    farEnd.close()
  }

  func kill() { die(.signalled(9)) }

  func waitForExit() async -> ChildExitStatus { await exit.wait() }
}
