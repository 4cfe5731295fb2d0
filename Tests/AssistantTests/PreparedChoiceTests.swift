import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// The supervisor and a prepared copy: it is loaded when it can be, and the model's own file otherwise.
@Suite(.timeLimit(.minutes(1))) struct PreparedChoiceTests {
  private func loadedName(
    _ house: ModelPreparationTests.House, _ scripts: [ChildScript], stallsAfter patience: Duration = .seconds(30)
  ) async -> String? {
    var configuration = SupervisorState.Configuration(buildID: "build")
    configuration.idleUnload = nil
    configuration.stallFloor = patience
    configuration.firstBackOff = .milliseconds(1)
    let supervisor = EngineSupervisor(
      configuration: configuration, modelPath: house.model, prepared: house.models,
      launcher: ScriptedLauncher(scripts))
    var params = GenerateParams()
    params.messages = [PromptMessage(.user, "hello")]
    var works = false
    for await event in supervisor.generate(params).events {
      if case .finished = event { works = true }
    }
    let report = await supervisor.status()
    await supervisor.shutDown()
    #expect(report.modelPath == house.model)
    guard works, let path = report.model?.path else { return nil }
    return path == house.model ? "own" : String(path.split(separator: "/").last ?? "")
  }

  @Test func theCopyIsLoadedWhenItCanBe() async throws {
    let house = try ModelPreparationTests.House()
    #expect(await loadedName(house, [ChildScript()]) == "own")
    _ = try await house.preparation().prepare(house.model)
    #expect(await loadedName(house, [ChildScript()]) == "Q8_0.gguf")

    var refuses = ChildScript()
    refuses.refusesPath = "Q8_0.gguf"
    #expect(await loadedName(house, [refuses]) == "own")

    // One that crashes while it loads the copy is started again with the model's own file.
    var crashes = ChildScript()
    crashes.dies = .loading
    #expect(await loadedName(house, [crashes, ChildScript()]) == "own")
    // One that was ended from outside says nothing about the copy, but two do: the third start is the last.
    for exit in [ChildExitStatus.signalled(15), .signalled(9), .exited(code: 0)] {
      var ended = crashes
      ended.exit = exit
      #expect(await loadedName(house, [ended, ChildScript()]) == "Q8_0.gguf", "\(exit)")
      #expect(await loadedName(house, [ended, ended, ChildScript()]) == "own", "\(exit)")
      #expect(await loadedName(house, [ended, crashes, ChildScript()]) == "own", "\(exit)")
    }
    // One that makes no progress is ended by the supervisor.
    var stalls = ChildScript()
    let gate = Gate<Void>()
    defer { gate.open() }
    stalls.loadGate = gate
    #expect(await loadedName(house, [stalls, ChildScript()], stallsAfter: .seconds(2)) == "Q8_0.gguf")
    #expect(await loadedName(house, [stalls, stalls, ChildScript()], stallsAfter: .seconds(2)) == "own")

    try writeFile(try house.path("Q8_0.gguf"), Array("GGUF damaged".utf8))
    #expect(await loadedName(house, [ChildScript()]) == "own")
  }
  @Test func endsThatAreWantedAndLoadsSayNothingAgainstTheCopy() async throws {
    let house = try ModelPreparationTests.House()
    _ = try await house.preparation().prepare(house.model)
    let wanted: [SupervisorState.Phase] = [.ending(.idle), .ending(.unload), .ending(.switching), .ended]
    for phase in wanted {
      var choice = PreparedChoice(house.models)
      for generation in 1...3 {
        #expect(choice.copy(of: house.model, for: generation, log: .none) != nil, "\(phase)")
        choice.exited(generation, .signalled(9), in: phase, log: .none)
      }
    }
    // Killed, and then loaded: what comes later is a first time again. An end after the load is not its affair.
    var choice = PreparedChoice(house.models)
    for generation in [1, 3, 5] {
      #expect(choice.copy(of: house.model, for: generation, log: .none) != nil)
      choice.exited(generation, .signalled(9), in: .loading(progress: 0.5), log: .none)
      #expect(choice.copy(of: house.model, for: generation + 1, log: .none) != nil)
      choice.loaded()
      choice.exited(generation + 1, .signalled(11), in: .ready, log: .none)
    }
  }
}
