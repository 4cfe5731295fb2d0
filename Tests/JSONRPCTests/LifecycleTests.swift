import JSON
import JSONRPC
import Testing

/// The rows of “Envelope and life cycle” that concern the order of messages.
@Suite struct LifecycleTests {
  private let initialize = call("1", "initialize")
  private let shutdown = call("8", "shutdown")

  @Test("request before initialize: -32002, notification dropped; line framing: both are served")
  func beforeInitialize() async throws {
    let early = [call("2"), note("note", #","params":{"count":1}"#), initialize, call("3")]
    try await check(messages: early, .editor, expect: ["2 ! -32002", #"1 = {"ok":true}"#, "3 = {}"])
    try await check(
      messages: early, .script, expect: ["2 = {}", #"noted {"count":1}"#, #"1 = {"ok":true}"#, "3 = {}"])
  }

  @Test("second initialize: -32600; one that failed may be sent again")
  func secondInitialize() async throws {
    for setting in [Setting.editor, .script] {
      try await check(
        messages: [call("0", "initialize", #","params":{"fails":1}"#), initialize, call("2", "initialize"), call("3")],
        setting, expect: ["0 ! -32602", #"1 = {"ok":true}"#, "2 ! -32600", "3 = {}"])
    }
  }

  @Test("request after shutdown: -32600, notification dropped")
  func afterShutdown() async throws {
    for setting in [Setting.editor, .script] {
      try await check(
        messages: [
          initialize, shutdown, call("9"), call("10", "initialize"), call("11", "shutdown"),
          note("note", #","params":{"count":1}"#),
        ],
        setting, expect: [#"1 = {"ok":true}"#, "8 = null", "9 ! -32600", "10 ! -32600", "11 ! -32600"])
    }
  }

  @Test("exit after / without shutdown, before initialize, with more behind it")
  func exit() async throws {
    let exit = note("exit")
    for setting in [Setting.editor, .script] {
      try await check(
        messages: [initialize, shutdown, exit], setting, expect: [#"1 = {"ok":true}"#, "8 = null"],
        end: .exit(afterShutdown: true))
      try await check(
        messages: [initialize, exit], setting, expect: [#"1 = {"ok":true}"#], end: .exit(afterShutdown: false))
      try await check(messages: [exit], setting, expect: [], end: .exit(afterShutdown: false))
    }
    var setting = Setting.editor
    setting.deliveries = [.whole]
    try await check(
      messages: [initialize, exit, call("2")], setting, expect: [#"1 = {"ok":true}"#], end: .exit(afterShutdown: false))
  }

  @Test("initialize, shutdown and exit inside a batch: -32600")
  func inBatch() async throws {
    try await check(
      messages: [initialize, "[\(call("2", "initialize")),\(shutdown),\(note("exit")),\(call("3"))]", call("4")],
      .editor, expect: [#"1 = {"ok":true}"#, "[2 ! -32600, 8 ! -32600, null ! -32600, 3 = {}]", "4 = {}"])
    try await check(
      messages: ["[\(call("2", "initialize")),\(call("3"))]"], .editor, expect: ["[2 ! -32600, 3 ! -32002]"])
  }

  @Test("without a policy those names mean nothing")
  func noPolicy() async throws {
    try await check(
      messages: [shutdown, call("1"), note("exit"), call("2", "exit"), call("3")],
      expect: ["8 = null", "1 = {}", "2 ! -32601", "3 = {}"])
  }
}
