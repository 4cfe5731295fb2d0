import JSON
import JSONRPC
import TestSupport

/// The methods of the server that these tests talk to.
enum Echo: RequestMethod {
  static let name = "echo"
  typealias Params = JSONValue
  typealias Result = JSONValue
}

/// Echoes too, from a task of its own.
enum Work: RequestMethod {
  static let name = "work"
  typealias Params = JSONValue
  typealias Result = JSONValue
}

/// Runs until it is cancelled.
enum Hang: RequestMethod {
  static let name = "hang"
  typealias Params = JSONValue
  typealias Result = JSONValue
}

/// Takes `{"count": integer 0…9}` and fails with it as the error's code.
enum Fail: RequestMethod {
  static let name = "fail"
  typealias Result = Empty
  struct Params: JSONMessage {
    var count = 0
    init() {}
    init(count: Int) { self.count = count }
    static let fields: [JSONField<Params>] = [.required("count", \.count, "The error's code.", in: 0...9)]
  }
}

enum Initialize: RequestMethod {
  static let name = "initialize"
  typealias Params = JSONValue
  typealias Result = JSONValue
}

enum Shutdown: RequestMethod {
  static let name = "shutdown"
  typealias Params = Empty
  typealias Result = Empty
}

/// Sends back a `noted` with the same count.
enum Note: NotificationMethod {
  static let name = "note"
  typealias Params = Fail.Params
}

enum Noted: NotificationMethod {
  static let name = "noted"
  typealias Params = Fail.Params
}

extension Router {
  /// Serves the methods above.
  static var testServer: Router {
    var router = Router()
    router.onInOrder(Echo.self) { params, _ in params }
    router.onInOrder(Initialize.self) { (params, _) throws(RPCError) in
      if params["fails"] != nil { throw .invalidParams("told to fail") }
      return ["ok": true]
    }
    router.onInOrder(Shutdown.self) { _, _ in Empty() }
    router.onInOrder(Fail.self) { (params, _) throws(RPCError) in
      throw RPCError(code: params.count, message: "told to fail")
    }
    router.on(Work.self) { params, _ in params }
    router.on(Hang.self) { (_, _) async throws(RPCError) in try await untilCancelled() }
    router.on(Note.self) { params, connection in connection.notify(Noted.self, params) }
    return router
  }
}

extension Router {
  /// The same, and tells when `hang` begins and when it is cancelled.
  static func hanging(_ started: Gate, _ cancelled: Gate) -> Router {
    var router = testServer
    router.on(Hang.self) { (_, _) async throws(RPCError) in
      started.open()
      defer { cancelled.open() }
      return try await untilCancelled()
    }
    return router
  }
}

/// Waits for the cancellation of the task.
func untilCancelled() async throws(RPCError) -> JSONValue {
  await waitForCancellation()
  throw .cancelled
}
