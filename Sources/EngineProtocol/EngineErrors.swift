import JSON
import JSONRPC

/// Errors that the engine answers with; the front end turns them into the wire's own.
public enum EngineErrorCode: Int, Sendable, CaseIterable {
  /// data: `reason` (one of `ModelLoadFailure`), and the message says what to do.
  case loadFailed = 1
  /// data: `promptTokens`, `contextSize`, `reservedForOutput`.
  case contextWindowExceeded = 2
  /// The model gave logits that are not finite, or libllama refused a step.
  case decodeFailed = 3
  /// No model is loaded (yet).
  case notLoaded = 4
  /// data: `pointer`, `keyword` and `problem` of what the engine cannot hold the model to.
  case unsupportedSchema = 5
  /// No copy is made of this model, or these models cannot be compared; the message says why.
  case notSuitable = 6
  /// libllama could not make or write a copy.
  case copyFailed = 7
  /// No copy in this form: the model is in it already.
  case sameForm = 8
}

/// Why a model could not be loaded; the words of `model/status`.
public enum ModelLoadFailure: String, JSONStringEnum {
  case modelNotFound, modelInvalid, outOfMemory, unsupportedDevice
}
