import AssistantProtocol
import JSON
import JSONRPC
import TestSupport
import Testing

/// The one door for the examples of protocol.md: a message, or a batch of them, is decoded with the type of its
/// method and must come back the same when it is written.
private struct ExampleChecker {
  /// Methods of the requests seen so far, by id: a response belongs to the last request of its id.
  private var methods: [RequestID: String] = [:]
  /// Methods of which there is an example.
  private(set) var covered: Set<String> = []

  mutating func check(_ example: ProtocolDocument.Example) {
    do {
      try check(try JSONParser.parse(example.text))
    } catch {
      Issue.record("protocol.md, line \(example.line): \(error)")
    }
  }

  private mutating func check(_ json: JSONValue) throws {
    if case .array(let batch) = json {
      for message in batch { try check(message) }
      return
    }
    guard json["jsonrpc"] == "2.0" else { throw Wrong("no JSON-RPC message") }
    let id = json["id"].flatMap(RequestID.init(json:))
    if case .string(let method)? = json["method"] {
      guard let entry = MethodList.all.first(where: { $0.name.hasSameBytes(as: method) }) else {
        throw Wrong("there is no method \(method)")
      }
      guard entry.isRequest == (id != nil) || entry.isAlsoNotification else {
        throw Wrong("\(method) with or without an id")
      }
      if let id { methods[id] = method }
      covered.insert(method)
      let params = json["params"] ?? .null
      let again = try Self.recoded(entry.params, params)
      // What a client leaves out is filled in; what it writes must come back.
      guard entry.direction == .serverToClient ? again == params : Self.contains(again, params) else {
        throw Wrong("comes back as \(JSONWriter.text(of: again))")
      }
    } else if let error = json["error"] {
      try Self.checkError(error)
    } else if let result = json["result"] {
      guard let id, let entry = MethodList.all.first(where: { $0.name == methods[id] }), let type = entry.result else {
        throw Wrong("answers no example before it")
      }
      let again = try Self.recoded(type, result)
      guard again == result else { throw Wrong("comes back as \(JSONWriter.text(of: again))") }
    } else {
      throw Wrong("neither request nor response")
    }
  }

  private static func checkError(_ json: JSONValue) throws {
    guard case .number(let number)? = json["code"], let code = number.int, case .string? = json["message"] else {
      throw Wrong("an error needs a code and a message")
    }
    if StandardErrorCode(rawValue: code) != nil { return }
    guard let kind = AssistantErrorKind.allCases.first(where: { $0.code == code }),
      case .object(let data)? = json["data"], data["kind"] == .string(kind.rawValue)
    else { throw Wrong("there is no such error") }
    guard data.members.map(\.name) == ["kind", "retryable"] + kind.dataFields else {
      throw Wrong("data holds \(data.members.map(\.name))")
    }
  }

  private static func recoded(_ type: any JSONConvertible.Type, _ json: JSONValue) throws -> JSONValue {
    func recode<Value: JSONConvertible>(_: Value.Type) throws(JSONMismatch) -> JSONValue { try Value(json: json).json }
    return try recode(type)
  }

  /// Whether the first value holds everything that the second one does.
  private static func contains(_ whole: JSONValue, _ part: JSONValue) -> Bool {
    switch (whole, part) {
    case (.object(let whole), .object(let part)):
      part.members.allSatisfy { member in whole[member.name].map { contains($0, member.value) } ?? false }
    case (.array(let whole), .array(let part)):
      whole.count == part.count && zip(whole, part).allSatisfy { contains($0, $1) }
    // `initialized` and `exit` have no parameters and may be given an empty object.
    case (.null, .object(let part)): part.isEmpty
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): whole == part
    }
  }

  private struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

@Suite struct ExampleTests {
  @Test func everyExampleIsRight() throws {
    var checker = ExampleChecker()
    let examples = try ProtocolDocument().examples
    for example in examples { checker.check(example) }
    let missing = MethodList.all.map(\.name).filter { !checker.covered.contains($0) }
    #expect(missing.isEmpty, "methods without an example: \(missing)")
  }
}
