import EngineProtocol
import Inference
import JSON
import JSONRPC
import Llama

// The one place where the engine's failures become errors of its wire.

extension RPCError {
  /// An error with one of the engine's own codes.
  private static func engine(_ code: EngineErrorCode, _ message: String, _ data: JSONValue? = nil) -> RPCError {
    RPCError(code: code.rawValue, message: message, data: data)
  }

  static let notLoaded = engine(.notLoaded, "no model is loaded")

  init(_ error: ModelLoadError) {
    let reason: ModelLoadFailure
    switch error.reason {
    case .modelNotFound: reason = .modelNotFound
    case .modelInvalid: reason = .modelInvalid
    case .outOfMemory: reason = .outOfMemory
    case .unsupportedDevice: reason = .unsupportedDevice
    case .stopped:
      self = .cancelled
      return
    }
    self = .engine(.loadFailed, error.message, ["reason": reason.json])
  }

  init(_ error: UnsupportedSchema) {
    let data: JSONValue = [
      "pointer": error.pointer.json, "keyword": error.keyword.json, "problem": error.problem.json,
    ]
    self = .engine(.unsupportedSchema, error.message, data)
  }

  init(_ error: ModelCopyError) {
    switch error {
    case .source(let error): self.init(error)
    case .notSuitable(let message): self = .engine(.notSuitable, message)
    case .sameForm(let message): self = .engine(.sameForm, message)
    case .failed(let message): self = .engine(.copyFailed, message)
    }
  }

  init(_ problem: ModelComparison.Problem) {
    switch problem {
    case .load(_, let error): self.init(error)
    case .unsuitable(let message): self = .engine(.notSuitable, message)
    case .decode(.aborted): self = .cancelled
    case .decode(.noSpace): self = .engine(.decodeFailed, "the sample text does not fit into the context window")
    case .decode(.failed(let message)): self = .engine(.decodeFailed, message)
    }
  }

  init(_ failure: GenerationFailure) {
    switch failure {
    case .contextWindowExceeded(let promptTokens, let contextSize, let reserved):
      self = .engine(
        .contextWindowExceeded,
        "the prompt has \(promptTokens) tokens; with \(reserved) for the answer too many for \(contextSize)",
        [
          "promptTokens": promptTokens.json, "contextSize": contextSize.json, "reservedForOutput": reserved.json,
        ])
    case .invalidPrompt: self = .invalidParams("the prompt is empty")
    case .duplicateID: self = .invalidRequest("a request with this number is running")
    case .decodeFailed(let message): self = .engine(.decodeFailed, message)
    }
  }
}
