import JSON
import JSONRPC

/// Has the prompt of a coming request read, so that its answer begins sooner. Also a notification, `PrewarmNotice`.
public enum Prewarm: RequestMethod {
  public static let name = "assistant/prewarm"

  /// The methods whose prompts can be read beforehand.
  public enum Method: String, JSONStringEnum {
    case rephrase = "assistant/rephrase"
    case summarize = "assistant/summarize"
  }

  /// A coming request, as far as it is known. What is not has its default in the parameters.
  public enum Coming: Sendable, Equatable {
    case nothing
    case rephrase(Rephrase.Params, hasText: Bool, hasTone: Bool)
    case summarize(Summarize.Params, hasText: Bool)
  }

  public struct Params: JSONMessage, Equatable {
    /// Most bytes of UTF-8 that all strings in `params` may have together: a text beyond it is read in parts, or not at
    /// all, so reading it beforehand would be for nothing.
    public static let textBytes = 64 << 10

    /// nil: no request is coming.
    public var method: Method?
    public var params: JSONValue?
    public init() {}
    public init(method: Method?, params: JSONValue? = nil) {
      self.method = method
      self.params = params
    }
    public static let fields: [JSONField<Params>] = [
      .optional("method", \.method, "The method of the coming request; absent when none is coming."),
      .optional("params", \.params, "Its parameters, as far as they are known."),
    ]

    public func validate() throws(JSONMismatch) { _ = try coming() }

    /// What is known of the coming request.
    public func coming() throws(JSONMismatch) -> Coming {
      let known = try knownFields()
      switch method {
      case nil:
        guard known.isEmpty else { throw JSONMismatch(path: "method", "is missing") }
        return .nothing
      case .rephrase?:
        let params = try Self.complete(Rephrase.Params.self, known)
        // As in the request itself, null is the same as nothing.
        let hasTone = known["tone"].map { $0 != .null } ?? false
        return .rephrase(params, hasText: known["text"] != nil, hasTone: hasTone)
      case .summarize?:
        return .summarize(try Self.complete(Summarize.Params.self, known), hasText: known["text"] != nil)
      }
    }

    private func knownFields() throws(JSONMismatch) -> JSONObject {
      switch params {
      case nil: return JSONObject()
      case .array(let values)? where values.isEmpty: return JSONObject()
      case .object(let object)?:
        guard Self.bytes(of: .object(object)) <= Self.textBytes else {
          throw JSONMismatch(path: "params", "must have at most \(Self.textBytes) bytes of text")
        }
        return object
      case .array?, .null?, .bool?, .number?, .string?:
        throw JSONMismatch(path: "params", "must be an object, not \(params?.typeName ?? "")")
      }
    }

    /// The parameters with an empty text when there is none yet.
    private static func complete<Message: JSONMessage>(
      _: Message.Type, _ known: JSONObject
    ) throws(JSONMismatch) -> Message {
      var all = known
      if known["text"] == nil { all.append("text", "") }
      do throws(JSONMismatch) { return try Message(json: .object(all)) } catch { throw error.inside("params") }
    }

    /// Of all strings in the value, but for the names of members.
    private static func bytes(of value: JSONValue) -> Int {
      switch value {
      case .null, .bool, .number: 0
      case .string(let text): text.utf8.count
      case .array(let values): values.reduce(0) { $0 + bytes(of: $1) }
      case .object(let object): object.members.reduce(0) { $0 + bytes(of: $1.value) }
      }
    }
  }

  public struct Result: JSONMessage, Equatable {
    public var promptTokens = 0
    public var cachedTokens = 0
    public init() {}
    public init(promptTokens: Int, cachedTokens: Int) {
      self.promptTokens = promptTokens
      self.cachedTokens = cachedTokens
    }
    public static let fields: [JSONField<Result>] = [
      .required("promptTokens", \.promptTokens, "Tokens of the prompts, as far as they are known."),
      .required("cachedTokens", \.cachedTokens, "Those that were in the KV cache before."),
    ]
  }
}

/// `assistant/prewarm` from a client that does not care how it ends.
public enum PrewarmNotice: NotificationMethod {
  public static let name = Prewarm.name
  public typealias Params = Prewarm.Params
}
