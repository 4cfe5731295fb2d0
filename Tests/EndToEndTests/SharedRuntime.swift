import JSON
import TestSupport
import Testing

/// A folder for a shared daemon of a test's own, which is ended with it.
final class SharedRuntime {
  let folder: TemporaryFolder
  let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = ["XDG_RUNTIME_DIR": folder.root, "XDG_STATE_HOME": folder.path("state"), "INKLING_PRIVATE": ""]
  }

  deinit { _ = try? run("stop", "--force") }

  /// Where the socket is.
  var path: String { folder.path("inkling") }

  func connect(
    _ arguments: [String] = [], framing: WireClient.Framing = .header, program: String = Daemon.executable
  ) throws -> WireClient {
    WireClient(try SpawnedProcess(program, ["connect"] + arguments, environment: environment), framing: framing)
  }

  /// Connected, and the handshake done.
  func ready(program: String = Daemon.executable) throws -> WireClient {
    let client = try connect(program: program)
    try client.initialize(["clientInfo": ["name": "tester"]])
    return client
  }

  func start(_ arguments: String...) throws -> SpawnedProcess {
    try SpawnedProcess(Daemon.executable, arguments, environment: environment)
  }

  @discardableResult
  func run(_ arguments: String..., input: String = "") throws -> (status: Int32, output: String, error: String) {
    let process = try SpawnedProcess(Daemon.executable, arguments, environment: environment)
    try process.write(Array(input.utf8))
    process.closeInput()
    let output = String(decoding: try process.readToEnd(within: 120), as: UTF8.self)
    guard case .status(let status) = try process.waitForExit() else { return (-1, output, process.standardError()) }
    return (status, output, process.standardError())
  }

  func status() throws -> JSONValue {
    try JSONParser.parse(Array(try run("status", "--json").output.utf8))
  }

  /// Waits until the status is as wanted; gives the last one.
  @discardableResult
  func wait(_ what: String, until isRight: (JSONValue) -> Bool) throws -> JSONValue {
    let deadline = Deadline(30)
    while true {
      let status = try status()
      if isRight(status) { return status }
      if deadline.hasPassed { throw SpawnedProcess.Failure("\(what): \(JSONWriter.text(of: status))") }
    }
  }

  func daemon() throws -> Int32 { Int32(try #require(try status()["processId"]?.intValue)) }

  func rephrase(_ client: WireClient, _ text: String = "gonna be late, the train's broken") throws -> Int {
    try client.start("assistant/rephrase", ["text": .string(text), "partialResultToken": "p"])
  }

  func leave(_ client: WireClient) throws {
    #expect(try Daemon.shutDown(client) == .status(0))
  }
}
