import JSON
import JSONRPC

/// Says something in a session, and answers with all that was said before in mind.
public enum Chat: RequestMethod {
  public static let name = "assistant/chat"

  public struct Params: GenerationParams, Equatable {
    public var message: String?
    public var retry = false
    public var toolChoice = ToolChoice.auto
    public var common = CommonParams()
    public init() {}
    public init(_ message: String, in session: SessionID) {
      self.message = message
      common.sessionID = session
    }
    public static let fields: [JSONField<Params>] =
      [
        .optional("message", \.message, "What is said; absent with `retry`."),
        .defaulted("retry", \.retry, "Answers the last message again, otherwise if it can be, instead of a new one."),
        .defaulted("toolChoice", \.toolChoice, "Whether the model may call the session's tools."),
      ] + .shared(\.common)
    public var texts: [String] { [message ?? ""] }

    public func validate() throws(JSONMismatch) {
      try validateCommon()
      guard common.sessionID != nil else { throw JSONMismatch(path: "sessionId", "is missing") }
      guard retry || message != nil else { throw JSONMismatch(path: "message", "is missing") }
      guard !retry || message == nil else { throw JSONMismatch(path: "message", "must be absent with retry") }
    }
  }

  public struct Result: GenerationResult, Equatable {
    public var text = ""
    public var toolCalls: [ToolCallRecord] = []
    public var common = CommonResult()
    public init() {}
    public init(text: String, toolCalls: [ToolCallRecord], common: CommonResult) {
      self.text = text
      self.toolCalls = toolCalls
      self.common = common
    }
    public static let fields: [JSONField<Result>] =
      [
        .required("text", \.text, "The answer."),
        .required("toolCalls", \.toolCalls, "The tools that were called for it, in order."),
      ] + .shared(\.common)
  }
}
