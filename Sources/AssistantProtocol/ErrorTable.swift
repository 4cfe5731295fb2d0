/// The error codes that JSON-RPC 2.0 and LSP 3.17 define, as far as they are sent.
public enum StandardErrorCode: Int, Sendable, CaseIterable {
  case parseError = -32700
  case invalidRequest = -32600
  case methodNotFound = -32601
  case invalidParams = -32602
  case internalError = -32603
  case serverNotInitialized = -32002
  case requestCancelled = -32800
  case contentModified = -32801
  case requestFailed = -32803

  /// What it means, for protocol.md.
  public var summary: String {
    switch self {
    case .parseError: "The text is not JSON."
    case .invalidRequest: "The JSON is no request, or one that may not come now. Mend the client."
    case .methodNotFound: "There is no such method. `initialize` lists those there are."
    case .invalidParams: "A parameter is wrong; the message names it and says what it must be."
    case .internalError: "Something failed inside the daemon. The request is lost, the daemon goes on."
    case .serverNotInitialized: "A request came before `initialize`."
    case .requestCancelled: "The request was cancelled with `$/cancelRequest`."
    case .contentModified:
      "The document, or the session in the file, was changed meanwhile, and the result would not fit it any more."
    case .requestFailed: "The request could not be served for the reason that the message gives."
    }
  }
}

/// Our own errors: code, name, and what a client's author needs to know.
public enum AssistantErrorKind: String, Sendable, CaseIterable {
  case modelUnavailable, contextWindowExceeded, sessionNotFound, sessionBusy, emptyPrompt, unsupportedSchema,
    guardrailViolation, refusal, emptyOutput, toolFailed, tooHot, overloaded, engineFailed, sessionExists,
    decodingFailure

  public var code: Int {
    switch self {
    case .modelUnavailable: 1001
    case .contextWindowExceeded: 1002
    case .sessionNotFound: 1003
    case .sessionBusy: 1004
    case .emptyPrompt: 1005
    case .unsupportedSchema: 1006
    case .guardrailViolation: 1007
    case .refusal: 1008
    case .emptyOutput: 1009
    case .toolFailed: 1010
    case .tooHot: 1011
    case .overloaded: 1012
    case .engineFailed: 1013
    case .sessionExists: 1014
    case .decodingFailure: 1015
    }
  }

  /// When it happens, and what to do.
  public var summary: String {
    switch self {
    case .modelUnavailable: "The model cannot be loaded. Do what `remedy` says."
    case .contextWindowExceeded:
      "The text does not fit the context window. Send less, or use a model with a larger window."
    case .sessionNotFound: "There is no such session. Create it, or leave `sessionId` out."
    case .sessionBusy: "The session is at work. Wait, or cancel its request."
    case .emptyPrompt: "There is nothing but white space to work on. Select a text."
    case .unsupportedSchema: "The schema uses what is not supported. Leave it out."
    case .guardrailViolation: "A rule stopped the request. Change the text."
    case .refusal: "The model refused. Say it in other words."
    case .emptyOutput: "The model wrote nothing. Try again, or with other options."
    case .toolFailed: "A tool failed. Stands inside a result, never as the error of a request."
    case .tooHot: "The machine is too hot. Let it cool down and try again."
    case .overloaded:
      "More requests are running, or more sessions are there, than are accepted. Try again when some are done."
    case .engineFailed: "The engine died under the request. Try again if `retryable` says so."
    case .sessionExists: "There is such a session already. Choose another `sessionId`."
    case .decodingFailure:
      "A structured result was not finished (try again with a larger `maxTokens`), or is not what was asked for."
    }
  }

  /// The members of `data` besides `kind` and `retryable`.
  public var dataFields: [String] {
    switch self {
    case .modelUnavailable: ["reason", "remedy"]
    case .contextWindowExceeded: ["promptTokens", "contextSize", "reservedForOutput"]
    case .sessionNotFound, .sessionBusy, .sessionExists: ["sessionId"]
    case .emptyPrompt, .refusal, .emptyOutput: []
    case .unsupportedSchema: ["pointer", "keyword"]
    case .guardrailViolation: ["rule"]
    case .toolFailed: ["name", "reason"]
    case .tooHot: ["thermalState"]
    case .overloaded: ["limit"]
    case .engineFailed: ["reason"]
    case .decodingFailure: ["finishReason"]
    }
  }
}
