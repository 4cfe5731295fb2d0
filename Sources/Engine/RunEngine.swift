import Dispatch
import JSONRPC
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The engine process: serves EngineProtocol on descriptor 3, a socket that the front end has left there, until the
/// front end is gone.
///
/// - Returns: the exit status: 0 when the front end ended it or is gone, 1 when it does not speak the protocol.
public func runEngine(buildID: String) -> Int32 {
  let channel: FileChannel
  do throws(ChannelError) {
    channel = try FileChannel(input: 3, output: 3)
  } catch {
    complain("`inkling engine` is started by `inkling serve`, on a socket (\(error.message))")
    return 1
  }
  let server = EngineServer()
  let status = Atomic<Int32>(0)
  let done = DispatchSemaphore(value: 0)
  Task {
    do {
      switch try await server.serve(channel, buildID: buildID, processID: Int(getpid())) {
      // On this socket a failure means that the peer is gone: it died before it had read everything.
      case .endOfInput, .exit, .closed, .ioError: break
      case .protocolError(let message):
        complain("the connection to the front end failed: \(message)")
        status.store(1, ordering: .relaxed)
      }
    } catch {
      complain("the engine cannot start: \(error)")
      status.store(1, ordering: .relaxed)
    }
    done.signal()
  }
  done.wait()
  // The engine's thread ends at the next node of its graph. A regular exit frees libllama's statics, which must not
  // happen under a thread that computes: one that does not end takes the short way out.
  let patience = ContinuousClock.now + .seconds(1)
  while !server.isOver {
    if ContinuousClock.now > patience { _exit(status.load(ordering: .relaxed)) }
    usleep(2_000)
  }
  return status.load(ordering: .relaxed)
}

/// One line to standard error: what went wrong, and never a text of a user's.
private func complain(_ message: String) {
  let bytes = Array("inkling engine: \(message)\n".utf8)
  // Nobody is left to hear that this could not be written.
  _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
