import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC

/// The supervisor's end of one child: its process, its connection and the requests that run in it.
struct EngineChild: Sendable {
  let generation: Int
  let process: any ChildProcess
  let connection: Connection
  private let jobs: JobTable

  /// - Parameter hear: what the child says of itself, called on the connection's reading thread, in order.
  init(
    generation: Int, process: any ChildProcess, jobs: JobTable, log: Log,
    hear: @escaping @Sendable (SupervisorState.Event) -> Void
  ) {
    self.generation = generation
    self.process = process
    self.jobs = jobs
    var router = Router()
    router.on(EngineHello.self) { params, _ in hear(.hello(generation, buildID: params.buildID)) }
    router.on(EngineNotice.self) { params, _ in log.warning(params.message) }
    router.on(EngineLoadProgress.self) { params, _ in hear(.loadProgress(generation, params.fraction)) }
    router.on(EngineHeartbeat.self) { params, _ in
      let stepTime = Duration.milliseconds(max(0, min(params.stepMilliseconds, 3_600_000)))
      hear(.heartbeat(generation, steps: params.steps, stepTime: stepTime))
    }
    router.on(EngineStructured.self) { params, _ in
      jobs.send(.structured(params.value), to: params.request, from: generation)
    }
    router.on(EngineText.self) { params, _ in jobs.send(.text(params.text), to: params.request, from: generation) }
    router.on(EnginePrefillProgress.self) { params, _ in
      jobs.send(.reading(done: params.done, total: params.total), to: params.request, from: generation)
      hear(.message(generation))
    }
    // What is sent is bounded by the requests there can be, and the child reads at once: however long a text is, it is
    // no reason to give the child up.
    var limits = ConnectionLimits()
    limits.outgoingSoft = 1 << 30
    limits.outgoingHard = 2 << 30
    limits.outgoingMaximum = 4 << 30
    connection = Connection(
      channel: process.channel, framing: .header, router: router, lifecycle: .none, limits: limits)
  }

  /// Begins to listen. Returns when the process is gone and everything it said has been heard.
  func live() async -> ChildExitStatus {
    connection.start()
    _ = await connection.waitUntilClosed()
    // Also when the child sent nonsense and lives on.
    process.kill()
    return await process.waitForExit()
  }

  /// nil when the child is gone: its end says why.
  func load(_ params: EngineLoad.Params) async -> Result<ModelFacts, Unavailability>? {
    do throws(RPCError) {
      return .success(try await connection.request(EngineLoad.self, params))
    } catch {
      return Self.loadFailure(error).map { .failure($0) }
    }
  }

  /// Runs a request to its end; nil when the child is gone.
  func run(_ work: JobTable.Work) async -> EngineJobEvent? {
    do throws(RPCError) {
      switch work {
      case .generate(let params): return .finished(try await connection.request(EngineGenerate.self, params))
      case .count(let text):
        return .counted(try await connection.request(EngineCount.self, EngineCount.Params(text: text)).tokens)
      }
    } catch {
      return Self.requestFailure(error).map { .failed($0) }
    }
  }

  /// Any error but the end of the connection is an answer of the engine.
  private static func isAnswer(_ error: RPCError) -> Bool { error != .connectionClosed }

  private static func loadFailure(_ error: RPCError) -> Unavailability? {
    guard isAnswer(error) else { return nil }
    let message = error.message.asSentence
    let word = error.data?["reason"].flatMap { try? ModelLoadFailure(json: $0) }
    switch word {
    case .modelNotFound?:
      return Unavailability(
        .modelNotFound, message: message, remedy: "Name a GGUF file that is there.")
    case .modelInvalid?:
      return Unavailability(
        .modelInvalid, message: message, remedy: "Fetch the file again, or name another GGUF file.")
    case .outOfMemory?:
      return Unavailability(
        .outOfMemory, message: message, remedy: "Choose a smaller model or a smaller --context.")
    case .unsupportedDevice?:
      return Unavailability(
        .unsupportedDevice, message: message, remedy: "Build inkling on this machine: make clean deps build.")
    case nil:
      return Unavailability(.engineFailed, message: message, remedy: "Run “inkling doctor”.")
    }
  }

  private static func requestFailure(_ error: RPCError) -> EngineFailure? {
    guard isAnswer(error) else { return nil }
    if error.code == RPCError.cancelled.code { return .cancelled }
    switch EngineErrorCode(rawValue: error.code) {
    case .contextWindowExceeded?:
      func number(_ name: String) -> Int { error.data?[name].flatMap { try? Int(json: $0) } ?? 0 }
      return .contextWindowExceeded(
        promptTokens: number("promptTokens"), contextSize: number("contextSize"),
        reservedForOutput: number("reservedForOutput"))
    case .unsupportedSchema?:
      func text(_ name: String) -> String { error.data?[name].flatMap { try? String(json: $0) } ?? "" }
      return .unsupportedSchema(pointer: text("pointer"), keyword: text("keyword"), problem: text("problem"))
    case .loadFailed?, .decodeFailed?, .notLoaded?, .notSuitable?, .copyFailed?, .sameForm?, nil:
      return .refused(error.message)
    }
  }
}

extension String {
  /// Begins with a capital and ends with a full stop.
  var asSentence: String {
    guard let first else { return self }
    let ends = last.map { ".!?".contains($0) } ?? false
    return first.uppercased() + dropFirst() + (ends ? "" : ".")
  }
}
