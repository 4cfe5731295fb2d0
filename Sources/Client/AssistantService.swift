import AssistantProtocol
import JSON
import JSONRPC

/// An assistant that is called by its protocol, wherever it runs: in this process, in a child, or in the daemon that
/// all of a user's editors share.
public protocol AssistantService: Sendable {
  /// Sends a request and waits for its answer. What comes meanwhile is given to `onProgress`, in order, and never after
  /// the answer. When the task is cancelled the assistant is asked to stop; its answer ends the wait, as a rule with
  /// `RPCError.cancelled`.
  ///
  /// - Parameters:
  ///   - params: as on the wire, without tokens for progress.
  ///   - wanted: which kinds of progress are asked for.
  func call(
    _ method: String, _ params: JSONValue, wanting wanted: Set<ProgressKind>,
    onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) async throws(RPCError) -> JSONValue
}

/// What can be told of a request while it runs.
public enum ProgressKind: String, Sendable {
  /// `partialResultToken`.
  case partialResults
  /// `workDoneToken`.
  case workDone

  /// The parameter that asks for it.
  var parameter: String {
    switch self {
    case .partialResults: "partialResultToken"
    case .workDone: "workDoneToken"
    }
  }
}

extension AssistantService {
  /// The same with the types of a method.
  public func call<R: RequestMethod>(
    _: R.Type, _ params: R.Params, wanting wanted: Set<ProgressKind> = [],
    onProgress: @escaping @Sendable (ProgressValue) -> Void = { _ in }
  ) async throws(RPCError) -> R.Result {
    let json = try await call(R.name, params.json, wanting: wanted, onProgress: onProgress)
    do throws(JSONMismatch) {
      return try R.Result(json: json)
    } catch {
      throw .internalError("the result of “\(R.name)” is not of its type: \(error.message)")
    }
  }
}
