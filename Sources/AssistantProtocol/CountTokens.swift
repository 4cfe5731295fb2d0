import JSON
import JSONRPC

/// Counts the tokens of a text as the loaded model counts them.
public enum CountTokens: RequestMethod {
  public static let name = "assistant/countTokens"

  public struct Params: JSONMessage, Equatable {
    public var text = ""
    public var workDoneToken: ProgressToken?
    public init() {}
    public init(text: String, workDoneToken: ProgressToken? = nil) {
      self.text = text
      self.workDoneToken = workDoneToken
    }
    public static let fields: [JSONField<Params>] = [
      .required("text", \.text, "Any text."),
      .optional("workDoneToken", \.workDoneToken, "Asks for progress reports while the model loads."),
    ]
    public func validate() throws(JSONMismatch) { try Limits.check([text]) }
  }

  public struct Result: JSONMessage, Equatable {
    public var tokens = 0
    public init() {}
    public init(tokens: Int) { self.tokens = tokens }
    public static let fields: [JSONField<Result>] = [.required("tokens", \.tokens, "How many tokens it has.")]
  }
}
