import JSON
import TestSupport

/// What Helix 25.01 does at its end of the protocol: its capabilities, positions in UTF-8, a cursor that is one
/// character wide, a change that is told before the edit that made it is answered, and edits for the present version
/// alone.
final class HelixClient {
  struct OpenDocument {
    var version = 0
    var text: [UInt8]
  }

  let wire: WireClient
  private(set) var documents: [String: OpenDocument] = [:]
  /// For each edit that was asked for, whether it was made.
  private(set) var answers: [Bool] = []
  private(set) var messages: [String] = []
  private(set) var progress: [String] = []

  /// - Parameter settings: what stands as `config` in languages.toml.
  init(_ arguments: [String], at bench: Workbench, settings: JSONValue? = nil) throws {
    wire = WireClient(try SpawnedProcess(Daemon.executable, arguments, environment: bench.environment))
    var params = JSONObject([("processId", nil), ("rootUri", nil), ("capabilities", Self.capabilities)])
    if let settings { params["initializationOptions"] = settings }
    params["clientInfo"] = ["name": "helix", "version": "25.01"]
    let result = try request("initialize", .object(params), within: 2)
    guard result["capabilities"]?["positionEncoding"] == "utf-8" else {
      throw SpawnedProcess.Failure("not the encoding that Helix wants most")
    }
    try wire.notify("initialized", [:])
    if let settings { try wire.notify("workspace/didChangeConfiguration", ["settings": settings]) }
  }

  private static let capabilities: JSONValue = [
    "workspace": [
      "applyEdit": true, "configuration": true, "workspaceFolders": true,
      "didChangeConfiguration": ["dynamicRegistration": false], "executeCommand": ["dynamicRegistration": false],
      "workspaceEdit": [
        "documentChanges": true, "resourceOperations": ["create", "rename", "delete"], "failureHandling": "abort",
        "normalizesLineEndings": false,
      ],
    ],
    "textDocument": [
      "codeAction": [
        "codeActionLiteralSupport": [
          "codeActionKind": [
            "valueSet": [
              "", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source",
              "source.organizeImports",
            ]
          ]
        ],
        "isPreferredSupport": true, "disabledSupport": true, "dataSupport": true,
        "resolveSupport": ["properties": ["edit", "command"]],
      ]
    ],
    "window": ["workDoneProgress": true],
    "general": ["positionEncodings": ["utf-8", "utf-32", "utf-16"]],
  ]

  // MARK: What a person does

  func open(_ uri: String, _ text: String, language: String = "markdown") throws {
    documents[uri] = OpenDocument(text: Array(text.utf8))
    try wire.notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": .string(uri), "languageId": .string(language), "version": 0, "text": .string(text)]])
  }

  func close(_ uri: String) throws {
    documents[uri] = nil
    try wire.notify("textDocument/didClose", ["textDocument": ["uri": .string(uri)]])
  }

  func text(_ uri: String) -> String { String(decoding: documents[uri]?.text ?? [], as: UTF8.self) }

  func type(_ new: String, before needle: String, in uri: String) throws {
    let place = try find(needle, in: uri).lowerBound
    try change(uri, place..<place, new)
  }

  /// The bytes of a text.
  func find(_ needle: String, in uri: String) throws -> Range<Int> {
    let (bytes, wanted) = (documents[uri]?.text ?? [], Array(needle.utf8))
    for start in 0...max(0, bytes.count - wanted.count) where bytes[start...].starts(with: wanted) {
      return start..<start + wanted.count
    }
    throw SpawnedProcess.Failure("no text “\(needle)”")
  }

  /// What the menu shows for the primary selection: what neither edits nor runs anything is left out.
  func actions(for range: Range<Int>, in uri: String) throws -> [JSONValue] {
    let result = try request(
      "textDocument/codeAction",
      [
        "textDocument": ["uri": .string(uri)], "range": span(range, in: documents[uri]?.text ?? []),
        "context": ["diagnostics": [], "triggerKind": 1],
      ], within: 1)
    return (result.arrayValue ?? []).filter {
      $0["disabled"] == nil && ($0["edit"] != nil || $0["command"] != nil)
    }
  }

  /// Takes an action of the menu. Its command must be answered at once: after 20 seconds Helix calls it failed.
  func choose(_ title: String, among actions: [JSONValue]) throws {
    guard let action = actions.first(where: { $0["title"]?.stringValue == title }), let command = action["command"]
    else { throw SpawnedProcess.Failure("no action “\(title)” among \(actions.map { $0["title"] })") }
    guard action["edit"] == nil else { throw SpawnedProcess.Failure("an action with an edit") }
    let result = try request(
      "workspace/executeCommand",
      ["command": command["command"] ?? .null, "arguments": command["arguments"] ?? .null], within: 1)
    guard result == .null else { throw SpawnedProcess.Failure("an answer that is not null: \(result)") }
  }

  // MARK: What the server asks

  /// Handles what comes until the condition holds.
  func handle(until what: String, within seconds: Double = 90, _ condition: () -> Bool) throws {
    let deadline = Deadline(seconds)
    while !condition() {
      guard let message = try wire.next(within: deadline.remaining, what) else {
        throw SpawnedProcess.Failure("the server ended \(what): \(wire.process.standardError())")
      }
      try handle(message)
    }
  }

  private func request(_ method: String, _ params: JSONValue, within seconds: Double) throws -> JSONValue {
    let id = try wire.start(method, params)
    let deadline = Deadline(seconds)
    while let message = try wire.next(within: deadline.remaining, "for the answer to \(method)") {
      guard message["method"] == nil, message["id"]?.intValue == id else {
        try handle(message)
        continue
      }
      guard let result = message["result"] else { throw SpawnedProcess.Failure("an error: \(message)") }
      return result
    }
    throw SpawnedProcess.Failure("the server ended: \(wire.process.standardError())")
  }

  private func handle(_ message: JSONValue) throws {
    let params = message["params"]
    switch message["method"]?.stringValue {
    case "workspace/applyEdit":
      let problem = try apply(params?["edit"]?["documentChanges"]?.arrayValue ?? [])
      answers.append(problem == nil)
      var answer = JSONObject([("applied", .bool(problem == nil))])
      if let problem {
        answer["failureReason"] = .string(problem)
        answer["failedChange"] = 0
      }
      try reply(to: message, .object(answer))
    case "window/workDoneProgress/create": try reply(to: message, .null)
    case "window/showMessage": messages.append(params?["message"]?.stringValue ?? "")
    case "$/progress": progress.append(params?["value"]?["kind"]?.stringValue ?? "")
    case let method?: throw SpawnedProcess.Failure("Helix was not told to expect \(method)")
    case nil: throw SpawnedProcess.Failure("an answer that nobody waits for, or a late one: \(message)")
    }
  }

  private func reply(to message: JSONValue, _ result: JSONValue) throws {
    try wire.send(["jsonrpc": "2.0", "id": message["id"] ?? .null, "result": result])
  }

  /// - Returns: why it was not done.
  private func apply(_ changes: [JSONValue]) throws -> String? {
    for change in changes {
      guard change["kind"] == nil else { return "only files can be made" }
      let uri = change["textDocument"]?["uri"]?.stringValue ?? ""
      guard let document = documents[uri] else { return "file not found" }
      if let version = change["textDocument"]?["version"]?.intValue, version != document.version {
        return "document has changed"
      }
      let edits = (change["edits"]?.arrayValue ?? []).map { edit in
        (range: offsets(edit["range"], in: document.text), text: edit["newText"]?.stringValue ?? "")
      }
      var shift = 0
      for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
        try self.change(uri, edit.range.lowerBound + shift..<edit.range.upperBound + shift, edit.text)
        shift += edit.text.utf8.count - edit.range.count
      }
    }
    return nil
  }

  /// Changes a document, and tells the server at once.
  private func change(_ uri: String, _ range: Range<Int>, _ new: String) throws {
    guard var document = documents[uri] else { return }
    let span = span(range, in: document.text)
    document.text.replaceSubrange(range, with: new.utf8)
    document.version += 1
    documents[uri] = document
    try wire.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": .string(uri), "version": .number(JSONNumber(document.version))],
        "contentChanges": [["range": span, "text": .string(new)]],
      ])
  }

  // MARK: Positions

  private func span(_ range: Range<Int>, in text: [UInt8]) -> JSONValue {
    func position(_ offset: Int) -> JSONValue {
      let lines = text[..<offset].split(separator: 10, omittingEmptySubsequences: false)
      return [
        "line": .number(JSONNumber(lines.count - 1)), "character": .number(JSONNumber(lines.last?.count ?? 0)),
      ]
    }
    return ["start": position(range.lowerBound), "end": position(range.upperBound)]
  }

  private func offsets(_ range: JSONValue?, in text: [UInt8]) -> Range<Int> {
    func offset(_ position: JSONValue?) -> Int {
      let lines = text.split(separator: 10, omittingEmptySubsequences: false)
      let line = position?["line"]?.intValue ?? 0
      return lines.prefix(line).reduce(0) { $0 + $1.count + 1 } + (position?["character"]?.intValue ?? 0)
    }
    return offset(range?["start"])..<offset(range?["end"])
  }
}
