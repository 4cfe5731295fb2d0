import Assistant
import AssistantProtocol
import EngineProtocol
import JSONRPC
import TestSupport
import Testing

/// The supervisor and a prepared copy: it is loaded when it can be, and the model's own file otherwise.
@Suite(.timeLimit(.minutes(1))) struct PreparedChoiceTests {
  private func loadedName(_ house: ModelPreparationTests.House, _ scripts: [ChildScript]) async -> String? {
    var configuration = SupervisorState.Configuration(buildID: "build")
    configuration.idleUnload = nil
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
    // One that somebody ended says nothing about the copy.
    crashes.exit = .signalled(15)
    #expect(await loadedName(house, [crashes, ChildScript()]) == "Q8_0.gguf")

    try writeFile(try house.path("Q8_0.gguf"), Array("GGUF damaged".utf8))
    #expect(await loadedName(house, [ChildScript()]) == "own")
  }
}
