import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// The supervisor with scripted children: each test says how the children behave and what a request then sees.
@Suite(.timeLimit(.minutes(1))) struct EngineSupervisorTests {
  /// What a request came to.
  enum Outcome: Equatable {
    case text(String, restarts: Int)
    case failed(EngineFailure)
    case unavailable(UnavailabilityReason)
  }

  /// A supervisor over scripted children, a model file that begins as one, and a clock moved by hand.
  struct House {
    let supervisor: EngineSupervisor
    let launcher: ScriptedLauncher
    let clock = ManualClock()
    let model: TemporaryFile

    init(_ scripts: [ChildScript], idleUnload: Duration? = nil) throws {
      launcher = ScriptedLauncher(scripts)
      model = try TemporaryFile("GGUF scripted")
      var configuration = SupervisorState.Configuration(buildID: "build")
      configuration.idleUnload = idleUnload
      supervisor = EngineSupervisor(
        configuration: configuration, modelPath: model.path, launcher: launcher, clock: clock)
    }

    func rephrase(_ text: String = "hello", marksPartials: Bool = false) async -> Outcome {
      var params = GenerateParams()
      params.messages = [PromptMessage(.user, text)]
      return await Self.outcome(of: supervisor.generate(params), marksPartials: marksPartials)
    }

    static func outcome(of job: EngineJob, marksPartials: Bool = false) async -> Outcome {
      var text = ""
      var restarts = 0
      for await event in job.events {
        switch event {
        case .loading, .reading, .structured: break
        case .text(let piece):
          if marksPartials { job.notePartialSent() }
          text += piece
        case .restarted:
          restarts += 1
          text = ""
        case .finished, .counted: return .text(text, restarts: restarts)
        case .failed(.unavailable(let why)): return .unavailable(why.reason)
        case .failed(let failure): return .failed(failure)
        }
      }
      return .failed(.cancelled)
    }

    /// Waits until the number of children has been reached; time does not pass meanwhile.
    func waitForChildren(_ count: Int) async throws {
      try await withDeadline(.seconds(5), "child \(count)") {
        while launcher.children.count < count { await Task.yield() }
      }
    }

    func waitForAvailability(_ wanted: EngineAvailability) async throws {
      try await withDeadline(.seconds(5), "availability \(wanted)") {
        while await supervisor.status().availability != wanted { await Task.yield() }
      }
    }
  }

  private func check(
    _ scripts: [ChildScript], marksPartials: Bool = false, expect: Outcome, children: ClosedRange<Int>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let house = try House(scripts)
    // Waits between deaths are passed over: they are short, other deadlines are 10 s away.
    let ticking = Task {
      while !Task.isCancelled {
        house.clock.passSleep(of: .seconds(1))
        await Task.yield()
      }
    }
    defer { ticking.cancel() }
    let outcome = try await withDeadline(.seconds(10), "the request") {
      await house.rephrase(marksPartials: marksPartials)
    }
    #expect(outcome == expect, sourceLocation: sourceLocation)
    #expect(children.contains(house.launcher.children.count), sourceLocation: sourceLocation)
    await house.supervisor.shutDown()
  }

  private static let good = ChildScript()

  private static func dying(_ stage: ChildScript.Stage, _ exit: ChildExitStatus = .signalled(6)) -> ChildScript {
    var script = ChildScript()
    script.dies = stage
    script.exit = exit
    return script
  }

  @Test func deathsAtEachStage() async throws {
    try await check([Self.good], expect: .text("ok", restarts: 0), children: 1...1)
    try await check([Self.dying(.spawning)], expect: .unavailable(.engineFailed), children: 0...0)
    try await check([Self.dying(.hello), Self.good], expect: .text("ok", restarts: 0), children: 2...2)
    try await check([Self.dying(.loading), Self.good], expect: .text("ok", restarts: 0), children: 2...2)
    try await check([Self.dying(.hello)], expect: .unavailable(.engineFailed), children: 3...3)
    try await check([Self.dying(.hello, .signalled(4))], expect: .unavailable(.unsupportedDevice), children: 1...1)
    try await check([Self.dying(.generating), Self.good], expect: .text("ok", restarts: 1), children: 2...2)
    try await check([Self.dying(.generating)], expect: .failed(.died(.crashed)), children: 2...3)
  }

  @Test func anotherBuildIsRefused() async throws {
    var other = ChildScript()
    other.buildID = "other"
    try await check([other], expect: .unavailable(.engineFailed), children: 1...1)
  }

  @Test func loadFailuresKeepTheirReason() async throws {
    for reason in ModelLoadFailure.allCases {
      var script = ChildScript()
      script.loadError = RPCError(
        code: EngineErrorCode.loadFailed.rawValue, message: "no", data: ["reason": .string(reason.rawValue)])
      let expected = try #require(UnavailabilityReason(rawValue: reason.rawValue))
      try await check([script], expect: .unavailable(expected), children: 1...1)
    }
  }

  @Test func errorsOfTheEngineReachTheRequest() async throws {
    var script = ChildScript()
    script.generate = { _, _ throws(RPCError) in
      throw RPCError(
        code: EngineErrorCode.contextWindowExceeded.rawValue, message: "too long",
        data: ["promptTokens": 9000, "contextSize": 8192, "reservedForOutput": 64])
    }
    let window = EngineFailure.contextWindowExceeded(promptTokens: 9000, contextSize: 8192, reservedForOutput: 64)
    try await check([script], expect: .failed(window), children: 1...1)
    script.generate = { _, _ throws(RPCError) in
      throw RPCError(code: EngineErrorCode.decodeFailed.rawValue, message: "not finite")
    }
    try await check([script], expect: .failed(.refused("not finite")), children: 1...1)
  }

  @Test func aDeathAfterAPartialIsAnError() async throws {
    let house = Mutex<House?>(nil)
    var script = ChildScript()
    let spoken = Gate<Void>()
    script.generate = { _, emit throws(RPCError) in
      emit("some")
      await spoken.wait()
      house.withLock { $0 }?.launcher.children[0].die()
      return try await Self.forever()
    }
    let made = try House([script, Self.good])
    house.withLock { $0 = made }
    var params = GenerateParams()
    params.messages = [PromptMessage(.user, "x")]
    let job = made.supervisor.generate(params)
    let outcome = try await withDeadline(.seconds(5), "the request") { () -> EngineJobEvent? in
      var last: EngineJobEvent?
      for await event in job.events {
        if case .text = event {
          job.notePartialSent()
          spoken.open()
        }
        last = event
      }
      return last
    }
    #expect(outcome == .failed(.died(.crashed)))
    // The next one works.
    #expect(await made.rephrase() == .text("ok", restarts: 0))
    await made.supervisor.shutDown()
  }

  /// Ends with the connection, or by cancellation.
  private static func forever() async throws(RPCError) -> GenerateResult {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    continuation.finish()
    throw .cancelled
  }

  @Test func aStallIsFoundAndTheRequestRunsAgain() async throws {
    var stuck = ChildScript()
    let started = Gate<Void>()
    stuck.generate = { _, _ throws(RPCError) in
      started.open()
      return try await Self.forever()
    }
    let house = try House([stuck, Self.good])
    async let outcome = house.rephrase()
    await started.wait()
    house.clock.advance(by: .seconds(9))
    #expect(house.launcher.children.count == 1)
    house.clock.advance(by: .seconds(2))
    try await house.waitForChildren(2)
    #expect(await outcome == .text("ok", restarts: 1))
    await house.supervisor.shutDown()
  }

  @Test func cancellingReachesTheEngine() async throws {
    var slow = ChildScript()
    let started = Gate<Void>()
    let ended = Gate<Void>()
    slow.generate = { _, _ throws(RPCError) in
      started.open()
      defer { ended.open() }
      return try await Self.forever()
    }
    let house = try House([slow])
    let request = Task { await house.rephrase() }
    await started.wait()
    request.cancel()
    try await withDeadline(.seconds(5), "the cancel") { await ended.wait() }
    #expect(await request.value == .failed(.cancelled))
    let report = await house.supervisor.status()
    #expect(report.activeRequests == 0)
    await house.supervisor.shutDown()
  }

  @Test func idlenessEndsTheChildAndARequestBringsItBack() async throws {
    let house = try House([Self.good], idleUnload: .seconds(60))
    #expect(await house.rephrase() == .text("ok", restarts: 0))
    house.clock.advance(by: .seconds(61))
    try await house.waitForAvailability(.unavailable(.unloaded))
    #expect(await house.rephrase() == .text("ok", restarts: 0))
    #expect(house.launcher.children.count == 2)
    #expect(await house.supervisor.status().restarts == 0)
    await house.supervisor.shutDown()
  }

  @Test func anotherModelIsLoadedAndAFailureBringsTheOldOneBack() async throws {
    var bad = ChildScript()
    bad.loadError = RPCError(
      code: EngineErrorCode.loadFailed.rawValue, message: "bad", data: ["reason": "modelInvalid"])
    let house = try House([Self.good, bad, Self.good])
    let other = try TemporaryFile("GGUF other")
    await house.supervisor.start()
    try await house.waitForAvailability(.available)
    await #expect(throws: Unavailability.self) { try await house.supervisor.load(path: other.path, force: false) }
    try await house.waitForAvailability(.available)
    #expect(await house.supervisor.status().model?.path == house.model.path)
    try await house.supervisor.load(path: other.path, force: false)
    #expect(await house.supervisor.status().model?.path == other.path)
    // What is not a model does not even disturb the loaded one.
    await #expect(throws: Unavailability.self) { try await house.supervisor.load(path: "/nowhere", force: true) }
    #expect(await house.supervisor.status().availability == .available)
    try await house.supervisor.unload()
    #expect(await house.supervisor.status().availability == .unavailable(.unloaded))
    await house.supervisor.shutDown()
  }

  @Test func aMissingFileIsLookedForAgain() async throws {
    let house = try House([Self.good])
    try house.model.remove()
    #expect(await house.rephrase() == .unavailable(.modelNotFound))
    try house.model.write("GGUF again")
    #expect(await house.rephrase() == .text("ok", restarts: 0))
    await house.supervisor.shutDown()
  }

  @Test func shuttingDownLeavesNoChild() async throws {
    let house = try House([Self.good])
    await house.supervisor.start()
    try await house.waitForChildren(1)
    await house.supervisor.shutDown()
    #expect(await house.launcher.children[0].waitForExit() == .signalled(9))
    #expect(await house.rephrase() == .unavailable(.unloaded))
  }
}
