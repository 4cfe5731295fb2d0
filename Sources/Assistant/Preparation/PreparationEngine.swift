import EngineProtocol
import JSONRPC
import Synchronization

/// Why nothing was prepared, with words for a person.
public struct PreparationError: Error, Equatable {
  /// What is wrong, one sentence.
  public var message: String
  /// What to do about it, one sentence.
  public var remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

/// An engine for one piece of work: started for it, ended after it. libllama ends its process on many a mistake, and
/// then only this piece of work has failed.
struct PreparationEngine: Sendable {
  let launcher: any ChildLauncher
  let buildID: String
  /// An engine that tells of no progress for as long is ended.
  var patience = Duration.seconds(120)

  enum Failure: Error {
    /// The engine's own answer.
    case answer(RPCError)
    /// It ended, or was ended; the rest of a sentence that begins with it.
    case ended(String)
    case cancelled
  }

  /// Has an engine do it. Cancelling the task ends the engine.
  func run<R: RequestMethod>(
    _ method: R.Type, _ params: R.Params, progress: @escaping @Sendable (Double) -> Void
  ) async throws(Failure) -> R.Result where R.Result: Sendable {
    let process: any ChildProcess
    do {
      process = try launcher.launch()
    } catch {
      throw .ended("cannot be started: \(error.message)")
    }
    let signs = Signs()
    var router = Router()
    router.on(EngineHello.self) { [buildID] params, _ in
      if !params.buildID.hasSameBytes(as: buildID) { signs.end(process, "is of another build of Inkling") }
    }
    router.on(EngineWorkProgress.self) { params, _ in
      signs.note()
      progress(max(0, min(1, params.fraction)))
    }
    let connection = Connection(channel: process.channel, framing: .header, router: router, lifecycle: .none)
    connection.start()
    let watch = Task { [patience] in
      while !Task.isCancelled {
        do { try await Task.sleep(for: min(patience, .seconds(1))) } catch { return }
        if signs.age >= patience { signs.end(process, "has not got on for \(patience / .seconds(1)) seconds") }
      }
    }
    let outcome = await withTaskCancellationHandler {
      await Self.ask(connection, method, params)
    } onCancel: {
      process.kill()
    }
    watch.cancel()
    connection.close()
    process.kill()
    let status = await process.waitForExit()
    switch outcome {
    case .success(let result): return result
    case .failure(.connectionClosed):
      if Task.isCancelled { throw .cancelled }
      throw .ended(signs.reason ?? status.sentence)
    case .failure(let error): throw .answer(error)
    }
  }

  private static func ask<R: RequestMethod>(
    _ connection: Connection, _ method: R.Type, _ params: R.Params
  ) async -> Result<R.Result, RPCError> {
    do throws(RPCError) {
      return .success(try await connection.request(method, params))
    } catch {
      // Ending the engine is how a request is cancelled.
      return .failure(error == .cancelled ? .connectionClosed : error)
    }
  }

  /// When the engine last gave a sign, and why it was ended.
  private final class Signs: Sendable {
    private let last = Mutex(ContinuousClock.now)
    private let why = Mutex<String?>(nil)

    var age: Duration { ContinuousClock.now - last.withLock { $0 } }
    var reason: String? { why.withLock { $0 } }

    func note() { last.withLock { $0 = .now } }

    func end(_ process: any ChildProcess, _ reason: String) {
      why.withLock { $0 = $0 ?? reason }
      process.kill()
    }
  }
}

extension ChildExitStatus {
  /// The rest of a sentence that begins with the process.
  fileprivate var sentence: String {
    switch self {
    case .exited(let code): "ended with status \(code)"
    case .signalled(let signal): "was ended by signal \(signal)"
    }
  }
}
