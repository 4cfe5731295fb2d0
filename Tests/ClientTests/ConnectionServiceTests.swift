import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// An assistant that is called over a connection.
@Suite struct ConnectionServiceTests {
  /// The other end: takes the handshake, reports on a rephrase, and answers when it is told to.
  private final class Assistant: Sendable {
    let initialized = Gate()
    let running = Gate()
    let released = Gate()
    let cancelled = Gate()
    let params = Mutex<Initialize.Params?>(nil)

    func connect() -> (ConnectionService, Connection) {
      let (near, far) = InMemoryChannel.pair()
      var router = Router()
      router.onInOrder(Initialize.self) { params, _ in
        self.params.withLock { $0 = params }
        return Initialize.Result(
          serverInfo: ServerInfo(version: "1"),
          capabilities: ServerCapabilities(positionEncoding: .utf8, assistant: AssistantCapabilities()))
      }
      router.on(Initialized.self) { _, _ in self.initialized.open() }
      router.on(Rephrase.self) { params, context async throws(RPCError) in try await self.rephrase(params, context) }
      let connection = Connection(channel: far, framing: .header, router: router, lifecycle: .languageServer)
      connection.start()
      return (ConnectionService(near), connection)
    }

    private func rephrase(_ params: Rephrase.Params, _ context: RequestContext) async throws(RPCError)
      -> Rephrase.Result
    {
      for token in [params.common.workDoneToken, params.common.partialResultToken].compactMap(\.self) {
        for message in ["a", "b"] {
          let value = ProgressValue.workDone(.report(WorkDoneReport(message: message)))
          context.notify(Progress.self, Progress.Params(token: token, value: value))
        }
      }
      running.open()
      if params.text == "waits" {
        await withTaskCancellationHandler {
          await released.wait()
        } onCancel: {
          cancelled.open()
        }
      }
      return Rephrase.Result(alternatives: [params.text], tone: .formal, edits: [], common: CommonResult())
    }
  }

  @Test func handshakeAndProgress() async throws {
    let assistant = Assistant()
    let (service, connection) = assistant.connect()
    defer { connection.close() }
    var client = ClientInfo()
    client.name = "test"
    let info = client
    let result = try await withDeadline(patience) { try await service.open(as: info) }
    #expect(result.capabilities.positionEncoding == .utf8)
    try await withDeadline(patience) { await assistant.initialized.wait() }
    let params = try #require(assistant.params.withLock { $0 })
    #expect(params.capabilities.knowsAssistant)
    #expect(params.capabilities.general?.positionEncodings == ["utf-8"])
    #expect(params.clientInfo?.name == "test")

    for (wanted, count): (Set<ProgressKind>, Int) in [([], 0), ([.workDone], 2), ([.workDone, .partialResults], 4)] {
      let seen = Mutex(0)
      let text = try await service.call(Rephrase.self, Rephrase.Params(text: "x"), wanting: wanted) { _ in
        seen.withLock { $0 += 1 }
      }.text
      #expect(text == "x")
      #expect(seen.withLock { $0 } == count)
    }
    service.close()
    await #expect(throws: RPCError.connectionClosed) {
      try await service.call(Rephrase.self, Rephrase.Params(text: "x"))
    }
  }

  @Test("a cancelled call waits for the answer that the assistant gives to the cancellation")
  func cancellation() async throws {
    let assistant = Assistant()
    let (service, connection) = assistant.connect()
    defer { connection.close() }
    _ = try await withDeadline(patience) { try await service.open(as: ClientInfo()) }
    let task = Task { try await service.call(Rephrase.self, Rephrase.Params(text: "waits"), wanting: [.workDone]).text }
    try await withDeadline(patience) { await assistant.running.wait() }
    task.cancel()
    try await withDeadline(patience) { await assistant.cancelled.wait() }
    assistant.released.open()
    // A result that was ready is an answer too.
    #expect(try await withDeadline(patience) { try await task.value } == "waits")
  }
}
