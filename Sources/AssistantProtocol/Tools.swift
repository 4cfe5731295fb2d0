import JSON
import JSONRPC

/// A tool that the daemon has itself.
public enum BuiltinTool: String, JSONStringEnum {
  /// Looks films up in a catalog.
  case catalogSearch
  /// Throws dice.
  case randomInteger
}

/// Something that the model may call: a tool of the client's, or one of the daemon's.
public struct ToolDefinition: JSONMessage, Equatable {
  public var builtin: BuiltinTool?
  public var name: String?
  public var description: String?
  public var parameters: JSONValue?
  public var timeoutMs = 10_000
  public var confirm = false
  public init() {}
  public init(builtin: BuiltinTool) { self.builtin = builtin }
  public init(name: String, description: String, parameters: JSONValue) {
    self.name = name
    self.description = description
    self.parameters = parameters
  }
  public static let fields: [JSONField<ToolDefinition>] = [
    .optional("builtin", \.builtin, "One of the daemon's own tools; all other fields are absent then."),
    .optional("name", \.name, "1 to 64 ASCII letters, digits, hyphens and underscores."),
    .optional("description", \.description, "What it does and when it helps; the model reads it."),
    .optional("parameters", \.parameters, "The JSON Schema of its arguments, an object."),
    .defaulted(
      "timeoutMs", \.timeoutMs, "Milliseconds that the client has to answer, its question to the user included.",
      in: 1...600_000),
    .defaulted("confirm", \.confirm, "Whether the client is to ask the user before each call."),
  ]

  public func validate() throws(JSONMismatch) {
    if builtin != nil {
      guard name == nil, description == nil, parameters == nil, !confirm, timeoutMs == ToolDefinition().timeoutMs else {
        throw JSONMismatch(path: "builtin", "must stand alone")
      }
      return
    }
    guard let name else { throw JSONMismatch(path: "name", "is missing") }
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.allows) else {
      throw JSONMismatch(path: "name", "must be 1 to 64 letters, digits, hyphens or underscores")
    }
    guard name != ToolDefinition.noTool else {
      throw JSONMismatch(path: "name", "must not be “\(ToolDefinition.noTool)”, which stands for no tool")
    }
    guard description != nil else { throw JSONMismatch(path: "description", "is missing") }
    guard let parameters else { throw JSONMismatch(path: "parameters", "is missing") }
    guard case .object = parameters, parameters["type"] ?? "object" == "object" else {
      throw JSONMismatch(path: "parameters", "must be the schema of an object")
    }
  }

  /// What the model says when it wants no tool.
  public static let noTool = "none"

  /// What the model calls it.
  public var callName: String { builtin?.rawValue ?? name ?? "" }

  private static func allows(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    case _: false
    }
  }
}

extension [ToolDefinition] {
  /// What no single definition can check.
  func checkTogether() throws(JSONMismatch) {
    guard count <= Limits.tools else { throw JSONMismatch(path: "tools", "must hold at most \(Limits.tools) tools") }
    guard json.approximateByteCount <= Limits.textBytes else {
      throw JSONMismatch(path: "tools", "must be at most \(Limits.textBytes) bytes together")
    }
    var names: Set<String> = []
    for (index, tool) in enumerated() where !names.insert(tool.callName).inserted {
      throw JSONMismatch(path: "tools[\(index)].name", "must not be that of another tool")
    }
  }
}

/// Whether the model may call tools.
public enum ToolChoice: String, JSONStringEnum {
  /// The model decides.
  case auto
  /// It calls one at least.
  case required
  case none
}

/// Why a tool did not give a result.
public struct ToolError: JSONMessage, Equatable {
  public var code = AssistantErrorKind.toolFailed.code
  public var message = ""
  public var data = Details()
  public init() {}
  public init(_ name: String, _ reason: ToolFailure) {
    let error = AssistantError.toolFailed(name: name, reason: reason)
    message = error.message
    data.name = name
    data.reason = reason
    data.retryable = reason == .timeout || reason == .error
  }
  public static let fields: [JSONField<ToolError>] = [
    .required("code", \.code, "1010."), .required("message", \.message, "The same for a person."),
    .required("data", \.data, "What failed."),
  ]

  public struct Details: JSONMessage, Equatable {
    public var retryable = true
    public var name = ""
    public var reason = ToolFailure.error
    public init() {}
    public static let fields: [JSONField<Details>] = [
      .constant("kind", AssistantErrorKind.toolFailed.rawValue, "A tool failed."),
      .required("retryable", \.retryable, "Whether it may succeed another time."),
      .required("name", \.name, "The tool."), .required("reason", \.reason, "Why."),
    ]
    public static let jsonTypeName = "ToolErrorDetails"
  }
}

/// A call that was made for a request.
public struct ToolCallRecord: JSONMessage, Equatable {
  public var callID = ""
  public var name = ""
  public var arguments = JSONValue.null
  public var result: String?
  public var error: ToolError?
  public init() {}
  public init(callID: String, name: String, arguments: JSONValue) {
    self.callID = callID
    self.name = name
    self.arguments = arguments
  }
  public static let fields: [JSONField<ToolCallRecord>] = [
    .required("callId", \.callID, "Names the call within the request."), .required("name", \.name, "The tool."),
    .required("arguments", \.arguments, "What the model gave it, true to its schema."),
    .optional("result", \.result, "What it answered."), .optional("error", \.error, "Why it did not."),
  ]
}

/// Asks the client to run one of its tools.
public enum ToolCall: RequestMethod {
  public static let name = "tool/call"

  public struct Params: JSONMessage, Equatable {
    public var sessionID: SessionID?
    public var callID = ""
    public var name = ""
    public var arguments = JSONValue.null
    public var confirm = false
    public init() {}
    public static let fields: [JSONField<Params>] = [
      .optional("sessionId", \.sessionID, "The session of the request, if it has one."),
      .required("callId", \.callID, "The same as in the results."), .required("name", \.name, "Which tool."),
      .required("arguments", \.arguments, "True to the tool's schema. A model wrote them: treat them as a stranger's."),
      .required("confirm", \.confirm, "Whether the user is to be asked first."),
    ]
  }

  public struct Result: JSONMessage, Equatable {
    public var content = ""
    public init() {}
    public init(content: String) { self.content = content }
    public static let fields: [JSONField<Result>] = [
      .required("content", \.content, "What the model is told; at most 64 KiB of UTF-8.")
    ]
  }
}

/// Parameters of a request that can call tools.
public protocol ToolCallingParams: GenerationParams {
  /// nil for those of the session.
  var tools: [ToolDefinition]? { get }
  var toolChoice: ToolChoice { get }
}

/// The result of such a request.
public protocol ToolCallingResult: GenerationResult {
  var toolCalls: [ToolCallRecord] { get set }
}
