import AssistantProtocol
import JSON
import JSONRPC

/// The one place where failures become errors of the wire.
extension RequestFailure {
  public var wireError: RPCError {
    switch self {
    case .assistant(let error): error.rpcError
    case .engine(let failure): failure.wireError
    case .invalid(let mismatch): .invalidParams(mismatch.message)
    case .store(let failure): failure.wireError
    }
  }
}

extension StoreFailure {
  var wireError: RPCError {
    switch self {
    case .changedElsewhere(let id):
      RPCError(
        code: StandardErrorCode.contentModified.rawValue,
        message: "Another daemon has changed the session “\(id.text)” meanwhile, and this answer is not part of it. "
          + "Send the request again.",
        data: ["kind": "contentModified", "retryable": true, "sessionId": id.json])
    case .unusable(let why):
      RPCError(
        code: StandardErrorCode.requestFailed.rawValue, message: "Persisted sessions cannot be reached: \(why).",
        data: ["kind": "requestFailed", "retryable": true])
    }
  }
}

extension EngineFailure {
  var wireError: RPCError {
    switch self {
    case .unavailable(let why): why.wireError
    case .died(let reason): AssistantError.engineFailed(reason).rpcError
    case .contextWindowExceeded(let promptTokens, let contextSize, let reserved):
      AssistantError.contextWindowExceeded(
        promptTokens: promptTokens, contextSize: contextSize, reservedForOutput: reserved
      ).rpcError
    case .unsupportedSchema(let pointer, let keyword, let problem):
      AssistantError.unsupportedSchema(pointer: pointer, keyword: keyword, problem: problem).rpcError
    case .overloaded(let limit): AssistantError.overloaded(limit: limit).rpcError
    case .cancelled: .cancelled
    case .refused(let message):
      RPCError(
        code: StandardErrorCode.requestFailed.rawValue, message: "The engine could not do it: \(message).",
        data: ["kind": "requestFailed", "retryable": true])
    }
  }
}

extension Unavailability {
  var wireError: RPCError { AssistantError.modelUnavailable(reason, message: message, remedy: remedy).rpcError }
}

extension EngineAvailability {
  /// As `model/status` and `model/didChangeAvailability` say it.
  public var wireValue: Availability {
    switch self {
    case .available: .available
    case .loading(let progress): .loading(progress: progress)
    case .unavailable(let why): .unavailable(why.reason, message: why.message, remedy: why.remedy)
    }
  }
}
