import Dispatch
import JSON
import JSONRPC
import Synchronization

/// What the way between front end and engine costs: two connections over a socketpair, each with its two threads.
let wireBenchmark = Benchmark(name: "wire", summary: "messages over a socketpair, header framing") {
  let params = [String(repeating: "x", count: 140)]
  let (near, other) = try FileChannel.socketPair()
  let far = try FileChannel(input: other, output: other)
  let received = Atomic(0)
  var router = Router()
  router.onInOrder(InOrder.self) { given, _ in given }
  router.on(InTask.self) { given, _ in given }
  router.on(Note.self) { _, _ in received.wrappingAdd(1, ordering: .relaxed) }
  let client = Connection(channel: near, framing: .header, router: Router(), lifecycle: .none)
  let server = Connection(channel: far, framing: .header, router: router, lifecycle: .none)
  client.start()
  server.start()
  defer { client.close() }

  let size = JSONWriter.bytes(of: params.json).count + 40
  print("  round trips of about \(size) bytes each way, µs:")
  print("    answered in order: \(try roundTrips(client, InOrder.self, params))")
  print("    answered by a task: \(try roundTrips(client, InTask.self, params))")

  let count = 50_000
  let start = ContinuousClock.now
  for _ in 0..<count { client.notify(Note.self, params) }
  // A request behind them is answered when they have all been taken.
  _ = try roundTrips(client, InOrder.self, params, count: 1)
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  print("  \(received.load(ordering: .relaxed)) notifications: \(Int(Double(count) / seconds)) a second")
}

private enum InOrder: RequestMethod {
  static let name = "inOrder"
  typealias Params = [String]
  typealias Result = [String]
}

private enum InTask: RequestMethod {
  static let name = "inTask"
  typealias Params = [String]
  typealias Result = [String]
}

private enum Note: NotificationMethod {
  static let name = "note"
  typealias Params = [String]
}

/// Microseconds on the wall of one request after another.
private func roundTrips<R: RequestMethod>(
  _ client: Connection, _: R.Type, _ params: R.Params, count: Int = 3_000
) throws -> Spread where R.Params: Sendable {
  let done = DispatchSemaphore(value: 0)
  let outcome = Mutex<Result<[Double], RPCError>>(.success([]))
  Task {
    var times: [Double] = []
    do throws(RPCError) {
      for _ in 0..<count {
        let start = ContinuousClock.now
        _ = try await client.request(R.self, params)
        times.append((ContinuousClock.now - start) / .microseconds(1))
      }
      let all = times
      outcome.withLock { $0 = .success(all) }
    } catch {
      outcome.withLock { $0 = .failure(error) }
    }
    done.signal()
  }
  done.wait()
  return Spread(try outcome.withLock { $0 }.get())
}
