import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// What becomes of a client's requests while daemons come and go.
@Suite struct DaemonLinkTests {
  private static let echo: ScriptedDaemons.Serve = { (_, _, params, _) throws(RPCError) in params }

  /// Shows a piece of text, says so, and then works for ever.
  private static func showThenHang(
    _ shown: Gate, partial: Bool = true, work: Bool = false, until number: Int = 1
  ) -> ScriptedDaemons.Serve {
    { (daemon, _, params, context) async throws(RPCError) in
      guard daemon <= number else { return params }
      if work, let token = try? ProgressToken(json: params["workDoneToken"] ?? .null) {
        context.notify(
          Progress.self, Progress.Params(token: token, value: .workDone(.begin(WorkDoneBegin(title: "Rephrase")))))
      }
      if partial, let token = try? ProgressToken(json: params["partialResultToken"] ?? .null) {
        context.notify(
          Progress.self,
          Progress.Params(token: token, value: .partial(.delta(TextDelta(offset: 0, delta: "Dear", encoding: .utf16)))))
      }
      // Comes after what was shown, on the same connection.
      _ = try? await context.connection.request(ToolCall.name, [:])
      shown.open()
      await waitForCancellation()
      throw .cancelled
    }
  }

  @Test("requests are answered, in whatever order, and progress goes to whom it belongs")
  func answers() async throws {
    let daemons = ScriptedDaemons { (_, _, params, context) throws(RPCError) in
      guard let token = try? ProgressToken(json: params["partialResultToken"] ?? .null) else { return params }
      let text = params["text"]?.stringValue ?? ""
      context.notify(
        Progress.self,
        Progress.Params(token: token, value: .partial(.delta(TextDelta(offset: 0, delta: text, encoding: .utf16)))))
      return params
    }
    let link = DaemonLink(connector: daemons)
    let first = Call(link, .text("one", partial: "a"))
    let second = Call(link, .text("two", partial: "b"))
    #expect(try await first.result()["text"] == "one")
    #expect(try await second.result()["text"] == "two")
    #expect(first.told == ["text one"])
    #expect(second.told == ["text two"])
    #expect(daemons.heard == ["1 initialized", "1 assistant/rephrase one", "1 assistant/rephrase two"])
    #expect(daemons.handshakes.first?.capabilities.knowsAssistant == true)
    link.close()
  }

  @Test("two first requests at once make one connection")
  func oneConnection() async throws {
    let gate = Gate()
    let daemons = ScriptedDaemons(gate: gate, serve: Self.echo)
    let link = DaemonLink(connector: daemons)
    let calls = (1...20).map { Call(link, .text("\($0)")) }
    gate.open()
    for call in calls { _ = try await call.result() }
    #expect(daemons.count == 1)
    #expect(daemons.heard.dropFirst() == (1...20).map { "1 assistant/rephrase \($0)" }[...])
    link.close()
  }

  @Test("a request that has shown nothing is sent again, in order, with the same handshake")
  func sentAgain() async throws {
    let hanging = Gate()
    let daemons = ScriptedDaemons(
      serve: Self.showThenHang(hanging, partial: false))
    var params = Initialize.Params()
    params.processID = 4711
    params.clientInfo = ClientInfo(name: "tester", version: "1")
    let link = DaemonLink(connector: daemons, incoming: .answering)
    link.introduce(params, isInitialized: true)
    let first = Call(link, .text("one"), SessionCreate.name)
    let second = Call(link, .text("two"), SessionCreate.name)
    try await daemons.wait(forMessages: 3)
    daemons.kill(1)
    #expect(try await first.result()["text"] == "one")
    #expect(try await second.result()["text"] == "two")
    #expect(
      daemons.heard.suffix(3) == ["2 initialized", "2 session/create one", "2 session/create two"])
    #expect(daemons.handshakes.count == 2)
    #expect(daemons.handshakes.first == daemons.handshakes.last)
    #expect(daemons.handshakes.first?.clientInfo?.name == "tester")
    #expect(daemons.handshakes.first?.processID == nil, "the daemon would watch the client")
    link.close()
  }

  @Test("a request that had shown something fails, retryable, and its progress ends")
  func failsWhenShown() async throws {
    let shown = Gate()
    let daemons = ScriptedDaemons(serve: Self.showThenHang(shown, work: true))
    let link = DaemonLink(connector: daemons, incoming: .answering)
    let call = Call(link, .text("one", partial: "a", work: "w"))
    try await withDeadline(patience) { await shown.wait() }
    daemons.kill(1)
    let error = try await call.error()
    #expect(error?.data?["kind"] == "engineFailed")
    #expect(error?.data?["retryable"] == true)
    #expect(call.told == ["begin Rephrase", "text Dear", "end"])
    #expect(try await Call(link, .text("two")).result()["text"] == "two")
    #expect(daemons.count == 2)
    link.close()
  }

  @Test("work that is done again does not begin a second time for the client")
  func workBeginsOnce() async throws {
    let daemons = ScriptedDaemons { (number, _, params, context) async throws(RPCError) in
      if let token = try? ProgressToken(json: params["workDoneToken"] ?? .null) {
        context.notify(
          Progress.self, Progress.Params(token: token, value: .workDone(.begin(WorkDoneBegin(title: "Rephrase")))))
      }
      if number == 1 {
        context.notify(DidChangeConfiguration.self, DidChangeConfiguration.Params())
        await waitForCancellation()
      }
      return params
    }
    let begun = Gate()
    let link = DaemonLink(
      connector: daemons,
      incoming: DaemonLink.Incoming(
        notification: { _, _ in begun.open() }, request: { (_, _) throws(RPCError) in .null }))
    let call = Call(link, .text("one", work: "w"))
    try await withDeadline(patience) { await begun.wait() }
    daemons.kill(1)
    _ = try await call.result()
    #expect(call.told == ["begin Rephrase", "end"])
    link.close()
  }

  @Test("a request during which a tool was called is not made again")
  func toolsAreNotCalledTwice() async throws {
    let shown = Gate()
    let daemons = ScriptedDaemons(serve: Self.showThenHang(shown, partial: false))
    let link = DaemonLink(connector: daemons, incoming: .answering)
    let call = Call(link, .text("one"))
    try await withDeadline(patience) { await shown.wait() }
    daemons.kill(1)
    #expect(try await call.error()?.data?["kind"] == "engineFailed")
    link.close()
  }

  @Test("a request that two daemons have died of is not given to a third")
  func twice() async throws {
    let daemons = ScriptedDaemons { (number, _, params, context) async throws(RPCError) in
      if number < 3 {
        context.connection.close()
        await waitForCancellation()
      }
      return params
    }
    let link = DaemonLink(connector: daemons)
    #expect(try await Call(link, .text("one")).error()?.data?["kind"] == "engineFailed")
    #expect(try await Call(link, .text("two")).result()["text"] == "two")
    link.close()
  }

  @Test("what was not sent is cancelled at once, what was sent when the daemon says so")
  func cancellation() async throws {
    let gate = Gate()
    let hanging = Gate()
    let daemons = ScriptedDaemons(gate: gate) { (_, _, params, _) async throws(RPCError) in
      hanging.open()
      await waitForCancellation()
      return ["text": "a result that was ready"]
    }
    let link = DaemonLink(connector: daemons)
    let unsent = Call(link, .text("one"))
    link.cancel(unsent.serial)
    #expect(try await unsent.error() == .cancelled)
    gate.open()
    let sent = Call(link, .text("two"))
    try await withDeadline(patience) { await hanging.wait() }
    link.cancel(sent.serial)
    #expect(try await sent.result()["text"] == "a result that was ready")
    #expect(daemons.heard == ["1 initialized", "1 assistant/rephrase two"])
    link.close()
  }

  @Test("a cancelled request is not sent to the next daemon")
  func cancelledAndLost() async throws {
    let daemons = ScriptedDaemons { (_, _, params, context) async throws(RPCError) in
      await waitForCancellation()
      context.connection.close()
      return params
    }
    let link = DaemonLink(connector: daemons)
    let call = Call(link, .text("one"))
    try await daemons.wait(forMessages: 2)
    link.cancel(call.serial)
    #expect(try await call.error() == .cancelled)
    #expect(daemons.count == 1)
    link.close()
  }

  @Test("without a daemon every request is told what to do, and the next one tries again")
  func noDaemon() async throws {
    let daemons = ScriptedDaemons(serve: Self.echo)
    daemons.fail(DaemonError("There is no room.", remedy: "Make some."))
    let link = DaemonLink(connector: daemons)
    let error = try await Call(link, .text("one")).error()
    #expect(error?.data?["kind"] == "modelUnavailable")
    #expect(error?.message == "There is no room. Make some.")
    #expect(error?.data?["remedy"] == "Make some.")
    daemons.fail(nil)
    #expect(try await Call(link, .text("two")).result()["text"] == "two")
    link.close()
  }

  @Test("a daemon that does not want another client says why")
  func refused() async throws {
    let daemons = ScriptedDaemons(
      handshake: { number throws(RPCError) in
        if number == 1 { throw AssistantError.overloaded(limit: 32).rpcError }
      }, serve: Self.echo)
    let link = DaemonLink(connector: daemons)
    #expect(try await Call(link, .text("one")).error()?.data?["kind"] == "overloaded")
    #expect(try await Call(link, .text("two")).result()["text"] == "two")
    link.close()
  }

  @Test("daemons that end before they answer are not started for ever")
  func endless() async throws {
    let connector = DyingConnector()
    let link = DaemonLink(connector: connector)
    let error = try await Call(link, .text("one")).error()
    #expect(error?.data?["kind"] == "modelUnavailable")
    #expect(connector.attempts == 3)
    link.close()
  }

  @Test("a daemon that does not answer the handshake is left")
  func mute() async throws {
    var patience = LinkPatience()
    patience.handshake = .milliseconds(20)
    let link = DaemonLink(connector: MuteConnector(), patience: patience)
    #expect(try await Call(link, .text("one")).error()?.data?["kind"] == "modelUnavailable")
    link.close()
  }

  @Test("a daemon that stops answering is given up, and keeps nobody who has cancelled")
  func stopped() async throws {
    let daemons = ScriptedDaemons { (number, method, params, _) async throws(RPCError) in
      if number > 1 { return params }
      // Deaf to cancellation, too.
      await Promise<Void>().value()
      return params
    }
    var patience = LinkPatience.short
    patience.pause = .seconds(60)
    let deaf = DaemonLink(connector: daemons, patience: patience)
    let cancelled = Call(deaf, .text("one"))
    try await daemons.wait(forMessages: 2)
    deaf.cancel(cancelled.serial)
    #expect(try await cancelled.error() == .cancelled)
    deaf.close()

    let others = ScriptedDaemons { (number, _, params, _) async throws(RPCError) in
      if number == 1 { await Promise<Void>().value() }
      return params
    }
    let link = DaemonLink(connector: others, patience: .short)
    let error = try await Call(link, .text("one")).error()
    #expect(error?.data?["kind"] == "modelUnavailable")
    #expect(error?.message.contains("does not answer") == true)
    #expect(try await Call(link, .text("two")).result()["text"] == "two")
    link.close()
  }

  @Test("a link that is closed answers everything, and nothing is sent any more")
  func closing() async throws {
    let daemons = ScriptedDaemons { (_, _, params, _) async throws(RPCError) in
      await waitForCancellation()
      return params
    }
    let link = DaemonLink(connector: daemons)
    let call = Call(link, .text("one"))
    try await daemons.wait(forMessages: 2)
    link.close()
    #expect(try await call.error() == .connectionClosed)
    #expect(try await Call(link, .text("two")).error() == .connectionClosed)
    #expect(daemons.heard.count == 2)
  }

  @Test("a service's calls have tokens of their own, and end with their task")
  func service() async throws {
    let started = Gate()
    let daemons = ScriptedDaemons { (_, _, params, context) async throws(RPCError) in
      for name in ["partialResultToken", "workDoneToken"] {
        guard let token = params[name].flatMap({ try? ProgressToken(json: $0) }) else { continue }
        context.notify(
          Progress.self,
          Progress.Params(token: token, value: .partial(.delta(TextDelta(offset: 0, delta: name, encoding: .utf16)))))
      }
      if params["text"] != "hang" { return ["tokens": .bool(params["partialResultToken"] != nil)] }
      started.open()
      await waitForCancellation()
      throw .cancelled
    }
    let link = DaemonLink(connector: daemons)
    let service = LinkService(link, name: "test")
    let told = EventList()
    let result = try await service.call(Rephrase.name, .text("x"), wanting: [.partialResults]) { told.add($0.json) }
    #expect(result == ["tokens": true])
    #expect(told.all == ["text partialResultToken"])
    let task = Task { try await service.call(Rephrase.name, .text("hang"), wanting: []) { _ in } }
    try await withDeadline(patience) { await started.wait() }
    task.cancel()
    await #expect(throws: RPCError.cancelled) { try await task.value }
    link.close()
  }
}
