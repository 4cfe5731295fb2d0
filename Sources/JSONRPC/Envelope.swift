import JSON

/// A message that has arrived, by its envelope (JSON-RPC 2.0, sections 4 and 5).
package enum Incoming: Equatable {
  case request(RequestID, method: String, params: JSONValue)
  case notification(method: String, params: JSONValue)
  case response(RequestID, Result<JSONValue, RPCError>)
  /// Answered with the error; the id is null when nil.
  case invalid(id: RequestID?, RPCError)
  /// Wrong, but of a kind that is never answered: a notification or a response.
  case ignored

  /// Looks at the envelope only. Absent, null and empty `params` become an empty object.
  package init(_ message: JSONValue) {
    guard case .object(let object) = message else {
      self = .invalid(id: nil, .invalidRequest("a message must be an object, not \(message.typeName)"))
      return
    }
    let method = object["method"]
    if method == nil, object["result"] != nil || object["error"] != nil {
      self = Self.response(object)
      return
    }
    let id = object["id"]
    let readableID = id.flatMap(RequestID.init(json:))
    if let name = object.duplicateName {
      // Of two ids neither is the request's.
      self = .invalid(
        id: name.hasSameBytes(as: "id") ? nil : readableID, .invalidRequest("“\(name)” is there twice"))
    } else if !Self.hasVersion(object) {
      self = .invalid(id: nil, .invalidRequest("“jsonrpc” must be \"2.0\""))
    } else if id != nil, readableID == nil {
      self = .invalid(id: nil, .invalidRequest("“id” must be a string or a whole number"))
    } else if case .string(let method)? = method {
      self = Self.call(method, id: readableID, object["params"])
    } else {
      self = .invalid(id: readableID, .invalidRequest("“method” must be a string"))
    }
  }

  private static func call(_ method: String, id: RequestID?, _ params: JSONValue?) -> Incoming {
    let none = JSONValue.object(JSONObject())
    let given: JSONValue
    switch params {
    case nil, .null?: given = none
    case .array(let values)? where values.isEmpty: given = none
    case .array?, .object?: given = params ?? none
    case .bool?, .number?, .string?:
      guard let id else { return .ignored }
      return .invalid(id: id, .invalidRequest("“params” must be an object or an array"))
    }
    guard let id else { return .notification(method: method, params: given) }
    return .request(id, method: method, params: given)
  }

  private static func response(_ object: JSONObject) -> Incoming {
    guard hasVersion(object), object.duplicateName == nil, let id = object["id"].flatMap(RequestID.init(json:)) else {
      return .ignored
    }
    if let error = object["error"], error != .null { return .response(id, .failure(RPCError(wire: error))) }
    return .response(id, .success(object["result"] ?? .null))
  }

  private static func hasVersion(_ object: JSONObject) -> Bool {
    if case .string(let version)? = object["jsonrpc"] { version.hasSameBytes(as: "2.0") } else { false }
  }
}

/// Messages to send, as the bytes of their JSON.
package enum Outgoing {
  package static func response(id: RequestID?, _ result: Result<JSONValue, RPCError>) -> [UInt8] {
    let outcome: (String, JSONValue) =
      switch result {
      case .success(let value): ("result", value)
      case .failure(let error): ("error", error.json)
      }
    return bytes([("id", id?.json ?? .null), outcome])
  }

  package static func request(id: RequestID, method: String, params: JSONValue) -> [UInt8] {
    bytes([("id", id.json), ("method", .string(method))] + members(params))
  }

  package static func notification(method: String, params: JSONValue) -> [UInt8] {
    bytes([("method", .string(method))] + members(params))
  }

  /// `params` may be left out but must not be null.
  private static func members(_ params: JSONValue) -> [(String, JSONValue)] {
    params == .null ? [] : [("params", params)]
  }

  private static func bytes(_ members: [(String, JSONValue)]) -> [UInt8] {
    JSONWriter.bytes(of: .object(JSONObject([("jsonrpc", "2.0")] + members)))
  }
}

extension RPCError {
  /// The error object of a response.
  var json: JSONValue {
    var object = JSONObject([("code", .number(JSONNumber(code))), ("message", .string(message))])
    if let data { object.append("data", data) }
    return .object(object)
  }

  /// Reads what a peer sent; what is missing is filled in, so that an answer is never lost.
  init(wire: JSONValue) {
    var code = -32603
    var message = "the peer sent an error without a message"
    if case .number(let number)? = wire["code"], let value = number.int { code = value }
    if case .string(let text)? = wire["message"] { message = text }
    self.init(code: code, message: message, data: wire["data"])
  }
}
