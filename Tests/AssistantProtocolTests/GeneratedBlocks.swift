import AssistantProtocol
import JSON
import JSONRPC

/// The parts of protocol.md that come from the types.
enum GeneratedBlocks {
  struct Unknown: Error { let name: String }

  /// Types with a table of their own, beside the parameters and results of methods.
  static let types: [any JSONMessage.Type] = [
    TextContext.self, TextEdit.self, CommonParams.self, GenerationOptions.self,
    CommonResult.self, Usage.self, Warning.self, Reduction.self, TextRange.self,
    TextDelta.self, TextSnapshot.self, StructuredSnapshot.self,
    WorkDoneBegin.self, WorkDoneReport.self, WorkDoneEnd.self,
    ClientInfo.self, ClientCapabilities.self, GeneralCapabilities.self, ServerInfo.self, ServerCapabilities.self,
    TextDocumentSyncOptions.self, CodeActionOptions.self, ExecuteCommandOptions.self,
    ExperimentalCapabilities.self, AssistantCapabilities.self, FeatureDescription.self, Choice.self,
    Session.self, TranscriptEntry.self, ToolDefinition.self, ToolCallRecord.self, ToolError.self,
    ToolError.Details.self, ToolProgress.self,
    ClientDescription.self, MemoryDescription.self, RequestTotals.self, RequestRates.self, Availability.self,
    ModelDescription.self, EngineDescription.self,
  ]

  /// - Parameter name: `methods`, `params METHOD`, `result METHOD`, `type TYPE`, or one of the lists below.
  static func render(_ name: String) throws -> String {
    let words = name.split(separator: " ", maxSplits: 1).map(String.init)
    switch words[0] {
    case "methods": return methods
    case "params": return try fields(of: try method(words[1]).params, name)
    case "result": return try fields(of: try method(words[1]).result, name)
    case "type":
      return try fields(of: types.first { $0.jsonTypeName == words[1] }, name)
    case "limits": return limits
    case "standard-errors":
      return table(["code", "meaning"], StandardErrorCode.allCases.map { ["\($0.rawValue)", $0.summary] })
    case "errors":
      return table(
        ["code", "`kind`", "more in `data`", "meaning"],
        AssistantErrorKind.allCases.map { kind in
          ["\(kind.code)", code(kind.rawValue), kind.dataFields.map(code).joined(separator: ", "), kind.summary]
        })
    case "warnings": return table(["code", "meaning"], WarningCode.allCases.map { [code($0.rawValue), $0.summary] })
    case "unavailability":
      return table(
        ["`reason`", "try again", "meaning"],
        UnavailabilityReason.allCases.map { [code($0.rawValue), $0.isRetryable ? "yes" : "no", $0.summary] })
    case "engine-failures":
      return table(
        ["`reason`", "try again", "meaning"],
        EngineFailureReason.allCases.map { reason in
          [code(reason.rawValue), AssistantError.engineFailed(reason).isRetryable ? "yes" : "no", reason.summary]
        })
    case "tones":
      return table(
        ["`tone`", "title", "meaning"],
        Tone.builtin.map { [code($0.choice.id), $0.choice.title, $0.choice.description] })
    case "personalities":
      return table(
        ["`personality`", "title", "meaning"],
        Personality.builtin.map { [code($0.choice.id), $0.choice.title, $0.choice.description] })
    case "kinds":
      return table(
        ["`kind`", "title", "meaning", "`value`"],
        BrainstormKind.allCases.map { kind in
          [code(kind.choice.id), kind.choice.title, kind.choice.description, code(kind.valueSummary)]
        })
    case "schema-keywords": return JSONSchema.keywords.map(code).joined(separator: ", ")
    case "summary-styles":
      return table(
        ["`style`", "title", "meaning"],
        Summarize.Style.allCases.map { [code($0.choice.id), $0.choice.title, $0.choice.description] })
    case _: throw Unknown(name: name)
    }
  }

  private static var methods: String {
    table(
      ["method", "", "sent by", "meaning"],
      MethodList.all.map { entry in
        [
          "[\(code(entry.name))](#\(anchor(entry.name)))", kind(of: entry),
          entry.direction == .clientToServer ? "client" : "daemon", entry.summary,
        ]
      })
  }

  private static func kind(of entry: MethodEntry) -> String {
    guard entry.isRequest else { return "notification" }
    return entry.isAlsoNotification ? "request or notification" : "request"
  }

  private static var limits: String {
    let connection = ConnectionLimits()
    return table(
      ["what", "limit", "beyond it"],
      [
        ["one message", bytes(connection.frames.message), "skipped and answered with -32600"],
        ["one message, to be skipped", bytes(connection.frames.skipped), "the connection ends"],
        ["a header with all its lines", bytes(connection.frames.header), "the connection ends"],
        ["line ends before a header", bytes(connection.frames.blank), "the connection ends"],
        ["arrays and objects within each other", "\(JSONParser.defaultMaxDepth)", "-32700"],
        ["messages in a batch", "\(connection.batchSize)", "-32600"],
        ["all texts of one request", bytes(Limits.textBytes), "-32602"],
        ["what is said in a session", "\(Limits.sessionBytes >> 20) MiB", "`overloaded`"],
        ["sessions of one connection, and persisted ones at work", "\(Limits.sessions)", "`overloaded`"],
        ["persisted sessions", "\(Limits.storedSessions)", "`overloaded`"],
        ["requests at work, of one connection", "\(connection.requestsInFlight)", "`overloaded`"],
        [
          "the same with status, prewarms and requests about sessions", "\(connection.lightRequestsInFlight)",
          "`overloaded`",
        ],
        ["unread output", bytes(connection.outgoingSoft), "generation pauses, partial results are merged"],
        [
          "unread output", bytes(connection.outgoingHard),
          "after \(connection.outgoingHold.components.seconds) seconds the connection ends",
        ],
      ])
  }

  private static func bytes(_ count: Int) -> String {
    count >= 1 << 20 ? "\(count >> 20) MiB" : "\(count >> 10) KiB"
  }

  private static func method(_ name: String) throws -> MethodEntry {
    guard let entry = MethodList.all.first(where: { $0.name == name }) else { throw Unknown(name: name) }
    return entry
  }

  private static func fields(of type: (any JSONConvertible.Type)?, _ name: String) throws -> String {
    guard let type = type as? any JSONMessage.Type else { throw Unknown(name: name) }
    return fields(type)
  }

  private static func fields<Message: JSONMessage>(_: Message.Type) -> String {
    var rows = Message.fields.filter { $0.sharedFrom == nil }.map { field in
      [code(field.name), linked(field.typeName), presence(field.presence), field.summary]
    }
    if let part = Message.fields.lazy.compactMap(\.sharedFrom).first {
      rows.append(["…", linked(part), "", "All fields of it, on the same level."])
    }
    return table(["field", "type", "", "meaning"], rows)
  }

  private static func presence(_ presence: JSONFieldPresence) -> String {
    switch presence {
    case .required: "required"
    case .optional: "optional"
    case .defaulted(to: "{}"): "optional"
    case .defaulted(let value): "default \(code(value))"
    }
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private static func code(_ text: String) -> String { "`\(text)`" }

  /// The names of types become links to their sections.
  private static func linked(_ typeName: String) -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    var result = ""
    var rest = typeName[...]
    while !rest.isEmpty {
      let word = rest.prefix { letters.contains($0) }
      if let first = word.first, first.isUppercase {
        result += "[\(word)](#\(anchor(String(word))))"
      } else {
        result += word
      }
      rest = rest.dropFirst(word.count)
      if let other = rest.first, !letters.contains(other) {
        result.append(other)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// How GitHub names a heading: lower case, without punctuation.
  private static func anchor(_ heading: String) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }
}
