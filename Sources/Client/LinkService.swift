import AssistantProtocol
import JSON
import JSONRPC
import Synchronization

/// The shared daemon as an assistant to be called.
public struct LinkService: AssistantService {
  private let link: DaemonLink
  private let prefix: String
  private let encoding: PositionEncoding
  private static let counter = Atomic(0)

  /// - Parameters:
  ///   - name: distinguishes its tokens from those of others that use the link.
  ///   - encoding: in which the link's positions are counted.
  public init(_ link: DaemonLink, name: String, encoding: PositionEncoding = .utf16) {
    self.link = link
    prefix = name
    self.encoding = encoding
  }

  public func call(
    _ method: String, _ params: JSONValue, wanting wanted: Set<ProgressKind>,
    onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) async throws(RPCError) -> JSONValue {
    var members = JSONObject()
    if case .object(let object) = params { members = object }
    let number = Self.counter.add(1, ordering: .relaxed).newValue
    for kind in wanted { members[kind.parameter] = .string("\(prefix)-\(number)-\(kind.rawValue)") }
    return try await link.perform(
      method, .object(members),
      onProgress: { [encoding] progress in
        onProgress(progress.counted(in: encoding).value)
      })()
  }
}

extension DaemonLink {
  /// Sends a request and gives what waits for its answer. When that task is cancelled the daemon is asked to stop, and
  /// its answer ends the wait.
  func perform(
    _ method: String, _ params: JSONValue, onProgress: @escaping @Sendable (Progress.Params) -> Void
  ) -> @Sendable () async throws(RPCError) -> JSONValue {
    let promise = Promise<Result<JSONValue, RPCError>>()
    let serial = begin(method, params, onProgress: onProgress) { promise.keep($0) }
    return { () async throws(RPCError) in
      let outcome = await withTaskCancellationHandler {
        await promise.value()
      } onCancel: {
        self.cancel(serial)
      }
      return try outcome.get()
    }
  }
}
