import JSON
import JSONRPC

/// The errors that are ours, with what they carry.
public enum AssistantError: Error, Equatable {
  case modelUnavailable(UnavailabilityReason, message: String, remedy: String)
  case contextWindowExceeded(promptTokens: Int, contextSize: Int, reservedForOutput: Int)
  case sessionNotFound(sessionID: String)
  case sessionBusy(sessionID: String)
  case emptyPrompt
  /// The problem is a sentence without its full stop; nil when no more is known than that it is not supported.
  case unsupportedSchema(pointer: String, keyword: String, problem: String? = nil)
  case guardrailViolation(rule: String, message: String? = nil)
  case refusal
  case emptyOutput
  case toolFailed(name: String, reason: ToolFailure)
  case tooHot(ThermalState)
  case overloaded(limit: Int)
  case tooManySessions(limit: Int)
  case tooManyClients(limit: Int)
  case sessionTooLarge(limit: Int)
  case engineFailed(EngineFailureReason)
  case sessionExists(sessionID: String)
  case decodingFailure(FinishReason)
}

/// Why a tool failed.
public enum ToolFailure: String, JSONStringEnum { case timeout, error, tooLarge, invalidResult, declined }

/// How the engine failed under a request.
public enum EngineFailureReason: String, JSONStringEnum {
  case crashed, stalled, replaced, quarantined

  /// What it means, for people.
  public var summary: String {
    switch self {
    case .crashed: "The engine crashed while it worked on the request."
    case .stalled: "The engine made no progress and was restarted."
    case .replaced: "Another model was loaded with `force`."
    case .quarantined: "The request has crashed the engine each time and is not run again."
    }
  }
}

extension AssistantError {
  /// The error as it goes to the client.
  public var rpcError: RPCError {
    let members: [(String, JSONValue)] = [("kind", .string(kind.rawValue)), ("retryable", .bool(isRetryable))] + extra
    return RPCError(code: kind.code, message: message, data: .object(JSONObject(members)))
  }

  public var kind: AssistantErrorKind {
    switch self {
    case .modelUnavailable: .modelUnavailable
    case .contextWindowExceeded: .contextWindowExceeded
    case .sessionNotFound: .sessionNotFound
    case .sessionBusy: .sessionBusy
    case .emptyPrompt: .emptyPrompt
    case .unsupportedSchema: .unsupportedSchema
    case .guardrailViolation: .guardrailViolation
    case .refusal: .refusal
    case .emptyOutput: .emptyOutput
    case .toolFailed: .toolFailed
    case .tooHot: .tooHot
    case .overloaded, .tooManySessions, .tooManyClients, .sessionTooLarge: .overloaded
    case .engineFailed: .engineFailed
    case .sessionExists: .sessionExists
    case .decodingFailure: .decodingFailure
    }
  }

  /// Whether the same request may succeed when it is sent again.
  public var isRetryable: Bool {
    switch self {
    case .modelUnavailable(let reason, message: _, remedy: _): reason.isRetryable
    case .engineFailed(let reason): reason != .quarantined
    case .sessionBusy, .emptyOutput, .toolFailed, .tooHot, .overloaded, .tooManySessions, .tooManyClients,
      .decodingFailure:
      true
    case .contextWindowExceeded, .sessionNotFound, .emptyPrompt, .unsupportedSchema, .guardrailViolation, .refusal,
      .sessionExists, .sessionTooLarge:
      false
    }
  }

  /// What went wrong and what to do, in plain sentences.
  public var message: String {
    switch self {
    case .modelUnavailable(_, let message, let remedy): "\(message) \(remedy)"
    case .contextWindowExceeded(let promptTokens, let contextSize, let reserved):
      "The text is too long: it takes \(promptTokens) tokens, and of the context window's \(contextSize) at least "
        + "\(reserved) are kept for the answer. Send a shorter text, or use a model with a larger window."
    case .sessionNotFound(let id): "There is no session “\(id)”. Create it first, or leave sessionId out."
    case .sessionBusy(let id): "The session “\(id)” is at work. Wait for its request to end, or cancel it."
    case .emptyPrompt: "There is no text to work on, or only white space."
    case .unsupportedSchema(let pointer, _, let problem?):
      "The schema\(pointer.isEmpty ? "" : " at “\(pointer)”") is not supported: \(problem)."
    case .unsupportedSchema(let pointer, let keyword, nil):
      "The schema uses “\(keyword)” at “\(pointer)”, which is not supported. Leave it out."
    case .guardrailViolation(let rule, let message?): "The request was stopped by the rule “\(rule)”: \(message)"
    case .guardrailViolation(let rule, nil): "The request was stopped by the rule “\(rule)”. Change the text."
    case .refusal: "The model refused to answer. Say it in other words."
    case .emptyOutput: "The model gave an empty answer. Try again, or with other options."
    case .toolFailed(let name, let reason): "The tool “\(name)” failed: \(reason.rawValue)."
    case .tooHot(let state): "The machine is too hot (\(state.rawValue)). Let it cool down and try again."
    case .sessionTooLarge(let limit):
      "The session holds more than \(limit) bytes, and nothing more is said in it. Rewind it, or fork its first turns."
    case .tooManySessions(let limit): "There are \(limit) sessions already, and no more are held. Delete one first."
    case .tooManyClients(let limit):
      "The daemon serves \(limit) clients already. Close an editor, or wait for a command."
    case .overloaded(let limit): "More than \(limit) requests at once are not accepted. Try again when some are done."
    case .engineFailed(let reason):
      reason.summary + (isRetryable ? " Try again." : " Change the text or load another model.")
    case .sessionExists(let id): "There is a session “\(id)” already. Choose another sessionId."
    case .decodingFailure(.stop):
      "The structured answer is not what was asked for. Try again, with another seed, a smaller count or other words."
    case .decodingFailure(let reason):
      "The structured answer is not complete (\(reason.rawValue)). Try again with a larger maxTokens."
    }
  }

  /// The members of `data` besides `kind` and `retryable`.
  private var extra: [(String, JSONValue)] {
    switch self {
    case .modelUnavailable(let reason, message: _, let remedy): [("reason", reason.json), ("remedy", remedy.json)]
    case .contextWindowExceeded(let promptTokens, let contextSize, let reserved):
      [
        ("promptTokens", promptTokens.json), ("contextSize", contextSize.json), ("reservedForOutput", reserved.json),
      ]
    case .sessionNotFound(let id), .sessionBusy(let id), .sessionExists(let id): [("sessionId", id.json)]
    case .unsupportedSchema(let pointer, let keyword, _): [("pointer", pointer.json), ("keyword", keyword.json)]
    case .guardrailViolation(let rule, _): [("rule", rule.json)]
    case .toolFailed(let name, let reason): [("name", name.json), ("reason", reason.json)]
    case .tooHot(let state): [("thermalState", state.json)]
    case .overloaded(let limit), .tooManySessions(let limit), .tooManyClients(let limit),
      .sessionTooLarge(let limit):
      [("limit", limit.json)]
    case .engineFailed(let reason): [("reason", reason.json)]
    case .decodingFailure(let reason): [("finishReason", reason.json)]
    case .emptyPrompt, .refusal, .emptyOutput: []
    }
  }
}
