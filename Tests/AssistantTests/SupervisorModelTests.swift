import Assistant
import AssistantProtocol
import Testing

/// The supervisor's state machine: limits, cancelling, another model, unloading, the end.
@Suite struct SupervisorModelTests {
  typealias State = SupervisorState

  @Test func cancellingEndsARequestWhereverItIs() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1), .submitted(2, digest: 2)], [.spawn(1, path: "m")])
    play.check(0, [.cancelled(1)], [.fail(1, .cancelled)])
    play.makeReady(1, at: 0, runs: [.run(2, 1)])
    play.check(1, [.cancelled(2)], [.cancel(2, 1), .fail(2, .cancelled)])
    play.check(1, [.cancelled(2)], [])
    play.check(1, [.finished(2)], [])
  }

  @Test func overTheLimitIsAnError() {
    var configuration = State.Configuration(buildID: "b")
    configuration.requestLimit = 2
    let play = Play(configuration)
    play.at(0, .submitted(1, digest: 1), .submitted(2, digest: 2))
    play.check(0, [.submitted(3, digest: 3)], [.fail(3, .overloaded(limit: 2))])
    play.check(0, [.cancelled(1)], [.fail(1, .cancelled)])
    play.check(0, [.submitted(4, digest: 4)], [])
  }

  /// A client's request may have many at the engine; those that are taken in never fail by the bound, and the engine is
  /// given no more at once than it takes.
  @Test func whatTheServerTakesInHasAPlace() {
    let play = Play()
    play.at(0, .submitted(0, digest: 0))
    play.makeReady(1, at: 0, runs: [.run(0, 1)])
    var started: [State.RequestKey] = []
    for key in 1..<256 * 15 {
      for action in play.at(1, .submitted(key, digest: UInt64(key))) {
        if case .run(let key, 1) = action { started.append(key) } else { Issue.record("\(action)") }
      }
    }
    #expect(started == Array(1..<240))
    #expect(play.state.waitingCount == 256 * 15 - 240)
    play.check(2, [.finished(5)], [.run(240, 1)])
    play.check(2, [.cancelled(6)], [.cancel(6, 1), .fail(6, .cancelled), .run(241, 1)])
  }

  @Test func anotherModelWaitsForRunningRequests() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1)])
    play.check(1, [.loadModel(path: "n", force: false, 9), .submitted(2, digest: 2)], [])
    play.check(2, [.finished(1)], [.kill(1)])
    play.check(2, [.childExited(1, .signalled(9))], [.spawn(2, path: "n")])
    play.check(2, [.hello(2, buildID: "b")], [.load(2, path: "n")])
    play.check(3, [.loaded(2)], [.answer(9, nil), .run(2, 2)])
    #expect(play.state.modelPath == "n")
  }

  @Test func forceEndsRunningRequests() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1)])
    play.check(
      1, [.loadModel(path: "n", force: true, 9)], [.cancel(1, 1), .fail(1, .died(.replaced)), .kill(1)])
  }

  @Test func aCancelledLoadLeavesTheOldModel() {
    let cancelled = Unavailability(
      .unloaded, message: "The change of the model was cancelled.", remedy: "Nothing needs to be done.")
    // While it waits for a running request.
    let waiting = Play()
    waiting.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    waiting.makeReady(1, at: 0, runs: [.run(1, 1)])
    waiting.check(1, [.loadModel(path: "n", force: false, 9)], [])
    waiting.check(1, [.changeCancelled(9)], [.answer(9, cancelled)])
    waiting.check(2, [.finished(1), .submitted(2, digest: 2)], [.run(2, 1)])
    #expect(waiting.state.modelPath == "m")

    // While the new model loads.
    let loading = Play()
    loading.at(0, .wanted)
    loading.makeReady(1, at: 0)
    loading.check(1, [.loadModel(path: "n", force: false, 9)], [.kill(1)])
    loading.check(1, [.childExited(1, .signalled(9))], [.spawn(2, path: "n")])
    loading.check(1, [.hello(2, buildID: "b")], [.load(2, path: "n")])
    loading.check(1, [.changeCancelled(9), .changeCancelled(9)], [.kill(2)])
    loading.check(1, [.childExited(2, .signalled(9))], [.answer(9, cancelled), .spawn(3, path: "m")])
    loading.makeReady(3, at: 1)

    // While a child that makes no progress with the new model is being ended.
    let stalled = Play()
    stalled.at(0, .wanted)
    stalled.makeReady(1, at: 0)
    stalled.check(1, [.loadModel(path: "n", force: false, 9)], [.kill(1)])
    stalled.check(1, [.childExited(1, .signalled(9))], [.spawn(2, path: "n")])
    stalled.check(11, [.tick], [.kill(2)])
    stalled.check(11, [.changeCancelled(9)], [])
    stalled.check(11, [.childExited(2, .signalled(9))], [.answer(9, cancelled), .spawn(3, path: "m")])
    stalled.makeReady(3, at: 12)
    #expect(stalled.state.modelPath == "m")

    // An unload that waits for a running request.
    let unloading = Play()
    unloading.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    unloading.makeReady(1, at: 0, runs: [.run(1, 1)])
    unloading.check(1, [.unloadModel(7), .changeCancelled(7)], [.answer(7, cancelled)])
    unloading.check(2, [.finished(1), .submitted(2, digest: 2)], [.run(2, 1)])

    // Afterwards, and of another load.
    loading.check(2, [.changeCancelled(9), .changeCancelled(10)], [])
  }

  @Test func aCandidateThatFailsBringsTheOldModelBack() {
    for dies in [false, true] {
      let play = Play()
      play.at(0, .wanted)
      play.makeReady(1, at: 0)
      play.check(1, [.loadModel(path: "n", force: false, 9)], [.kill(1)])
      play.check(1, [.childExited(1, .signalled(9)), .submitted(1, digest: 1)], [.spawn(2, path: "n")])
      play.check(1, [.hello(2, buildID: "b")], [.load(2, path: "n")])
      if dies {
        play.at(1, .childExited(2, .signalled(11)), .childExited(3, .signalled(11)))
        play.at(2, .tick)
        let actions = play.at(2, .childExited(4, .signalled(11)))
        let answered = actions.contains { if case .answer(9, .some) = $0 { true } else { false } }
        #expect(answered)
        play.at(60, .tick)
        play.makeReady(5, at: 60, runs: [.run(1, 5)])
      } else {
        play.check(2, [.loadFailed(2, .notFound)], [.kill(2)])
        play.check(2, [.childExited(2, .signalled(9))], [.answer(9, .notFound), .spawn(3, path: "m")])
        play.makeReady(3, at: 3, runs: [.run(1, 3)])
      }
      #expect(play.state.modelPath == "m")
      #expect(play.state.availability == .available)
    }
  }

  @Test func aLaterChangeOfModelReplacesAnEarlierOne() {
    let play = Play()
    play.at(0, .wanted)
    play.makeReady(1, at: 0)
    play.check(1, [.loadModel(path: "n", force: false, 8)], [.kill(1)])
    let answers = play.at(1, .loadModel(path: "o", force: false, 9)).contains {
      if case .answer(8, .some) = $0 { true } else { false }
    }
    #expect(answers)
    play.check(1, [.childExited(1, .signalled(9))], [.spawn(2, path: "o")])
    play.check(2, [.hello(2, buildID: "b")], [.load(2, path: "o")])
    play.check(2, [.loadFailed(2, .notFound)], [.kill(2)])
    play.check(2, [.childExited(2, .signalled(9))], [.answer(9, .notFound), .spawn(3, path: "m")])
  }

  @Test func unloadingIsAnsweredWhenTheChildIsGone() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1)])
    play.check(1, [.unloadModel(7), .submitted(2, digest: 2)], [])
    play.check(2, [.finished(1)], [.kill(1)])
    play.check(2, [.childExited(1, .signalled(9))], [.answer(7, nil), .spawn(2, path: "m")])
    play.makeReady(2, at: 3, runs: [.run(2, 2)])
    play.at(4, .finished(2))
    play.at(4, .unloadModel(8), .childExited(2, .signalled(9)))
    #expect(play.state.availability == .unavailable(.unloaded))
    play.check(5, [.unloadModel(9)], [.answer(9, nil)])
  }

  @Test func shuttingDownAnswersEverybodyAndEndsTheChild() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.check(0, [.loadModel(path: "n", force: false, 5)], [.kill(1)])
    play.check(0, [.shutdown], [.fail(1, .unavailable(.unloaded)), .answer(5, .unloaded), .kill(1)])
    play.check(1, [.submitted(3, digest: 3)], [.fail(3, .unavailable(.unloaded))])
    play.check(1, [.loadModel(path: "x", force: true, 6)], [.answer(6, .unloaded)])
  }

  @Test func whatAFormerChildSaysIsIgnored() {
    let play = Play()
    play.at(0, .wanted)
    play.at(0, .childExited(1, .signalled(9)))
    play.check(
      0, [.hello(1, buildID: "b"), .loaded(1), .childExited(1, .signalled(9)), .loadFailed(1, .notFound)], [])
    play.makeReady(2, at: 1)
  }
}
