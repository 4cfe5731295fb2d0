import Assistant
import AssistantProtocol
import Testing

/// The supervisor's state machine, played event by event: `check` says what must be done after each.
@Suite struct SupervisorStateTests {
  typealias State = SupervisorState

  @Test func anyNumberOfRequestsShareOneLoad() {
    let play = Play()
    play.check(0, [.wanted], [.spawn(1, path: "m")])
    play.check(0, [.submitted(1, digest: 11), .submitted(2, digest: 12)], [])
    play.check(1, [.hello(1, buildID: "b"), .loadProgress(1, 0.5)], [.load(1, path: "m")])
    #expect(play.state.availability == .loading(progress: 0.5))
    play.check(2, [.submitted(3, digest: 13)], [])
    play.check(2, [.loaded(1)], [.run(1, 1), .run(2, 1), .run(3, 1)])
    #expect(play.state.availability == .available)
    play.check(3, [.finished(2)], [])
    #expect(play.state.runningCount == 2)
  }

  @Test func availabilityIsAnnouncedOnceForEachChange() {
    let play = Play()
    let first = play.at(0, .wanted)
    #expect(first.contains(.announce(.loading(progress: 0))))
    let same = play.at(1, .hello(1, buildID: "b"))
    #expect(same == [.load(1, path: "m")])
    #expect(play.at(2, .loadProgress(1, 0.25)) == [.announce(.loading(progress: 0.25))])
    #expect(play.at(2, .loadProgress(1, 0.27)) == [])
    #expect(play.at(2, .loadProgress(1, 0.31)) == [.announce(.loading(progress: 0.31))])
    #expect(play.at(3, .loaded(1)) == [.announce(.available)])
    #expect(play.at(4, .tick) == [])
  }

  @Test func aModelThatIsMissingAnswersAllWhoWaitAndIsLookedForAgain() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1), .submitted(2, digest: 2)], [.spawn(1, path: "m")])
    let failure = EngineFailure.unavailable(.notFound)
    play.check(0, [.spawnFailed(1, .notFound)], [.fail(1, failure), .fail(2, failure)])
    #expect(play.state.availability == .unavailable(.notFound))
    play.check(5, [.submitted(3, digest: 1)], [.spawn(2, path: "m")])
    play.makeReady(2, at: 6, runs: [.run(3, 2)])
  }

  @Test func aLoadThatFailsEndsTheChildFirst() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.check(1, [.hello(1, buildID: "b"), .loadFailed(1, .notFound)], [.load(1, path: "m"), .kill(1)])
    play.check(1, [.childExited(1, .signalled(9))], [.fail(1, .unavailable(.notFound))])
  }

  @Test func anotherBuildIsRefused() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.check(0, [.hello(1, buildID: "other")], [.kill(1)])
    play.at(0, .childExited(1, .signalled(9)))
    guard case .unavailable(let why) = play.state.availability else {
      Issue.record("must be unavailable")
      return
    }
    #expect(why.reason == .engineFailed)
    #expect(why.message.contains("another build"))
  }

  @Test func anIllegalInstructionAtStartMeansAnotherProcessor() {
    for stage in 0...1 {
      let play = Play()
      play.at(0, .submitted(1, digest: 1))
      if stage == 1 { play.at(0, .hello(1, buildID: "b")) }
      let actions = play.at(0, .childExited(1, .signalled(4)))
      let failed = actions.contains {
        if case .fail(1, .unavailable(let why)) = $0 { why.reason == .unsupportedDevice } else { false }
      }
      #expect(failed, "stage \(stage)")
    }
  }

  @Test func deathsWhileStartingBackOffAndThenMeanUnavailable() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.check(0, [.childExited(1, .exited(code: 1))], [.spawn(2, path: "m")])
    play.check(0, [.hello(2, buildID: "b"), .childExited(2, .signalled(11))], [.load(2, path: "m")])
    #expect(play.state.phase == .backingOff(until: .milliseconds(500)))
    #expect(play.state.nextDeadline() == .milliseconds(500))
    play.check(0.4, [.tick], [])
    play.check(0.5, [.tick], [.spawn(3, path: "m")])
    let actions = play.at(0.5, .childExited(3, .signalled(11)))
    let reasons = actions.compactMap { action -> UnavailabilityReason? in
      if case .fail(1, .unavailable(let why)) = action { why.reason } else { nil }
    }
    #expect(reasons == [.engineFailed])
    // The next request tries again, after the wait.
    play.check(0.6, [.submitted(2, digest: 2)], [])
    play.check(1.5, [.tick], [.spawn(4, path: "m")])
  }

  @Test func backOffGrowsAndEndsWithOneFinishedRequest() {
    let play = Play()
    play.check(0, [.wanted], [.spawn(1, path: "m")])
    var time = 0.0
    var waits: [Double] = []
    for generation in 1...9 {
      play.makeReady(generation, at: time)
      play.at(time, .childExited(generation, .signalled(9)))
      if case .backingOff(let until) = play.state.phase {
        let seconds = Double(until.components.seconds) + Double(until.components.attoseconds) / 1e18
        waits.append(seconds - time)
        time = seconds
        play.check(time, [.tick], [.spawn(generation + 1, path: "m")])
      } else {
        waits.append(0)
      }
    }
    #expect(waits == [0, 0.5, 1, 2, 4, 8, 16, 30, 30])
    play.check(time, [.submitted(1, digest: 1)], [])
    play.makeReady(10, at: time, runs: [.run(1, 10)])
    play.check(time, [.finished(1)], [])
    play.check(time, [.childExited(10, .signalled(9))], [.spawn(11, path: "m")])
    #expect(play.state.restarts == 10)
  }

  @Test func aDeathRunsSilentRequestsAgainAndEndsThoseThatHaveSpoken() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1), .submitted(2, digest: 2)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1), .run(2, 1)])
    play.check(
      1, [.partialSent(1), .childExited(1, .signalled(9))],
      [.fail(1, .died(.crashed)), .restart(2), .spawn(2, path: "m")])
    play.makeReady(2, at: 1, runs: [.run(2, 2)])
    // Only once.
    play.check(3, [.childExited(2, .signalled(9))], [.fail(2, .died(.crashed))])
  }

  @Test func suspectsRunOneAtATimeAndTheCulpritIsQuarantined() {
    let play = Play()
    play.check(
      0, [.submitted(1, digest: 1), .submitted(2, digest: 66), .submitted(3, digest: 3)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1), .run(2, 1), .run(3, 1)])
    play.check(
      1, [.childExited(1, .signalled(6))], [.restart(1), .restart(2), .restart(3), .spawn(2, path: "m")])
    play.makeReady(2, at: 1, runs: [.run(1, 2)])
    play.check(2, [.submitted(4, digest: 4)], [])
    play.check(2, [.finished(1)], [.run(2, 2)])
    play.check(3, [.childExited(2, .signalled(6))], [.fail(2, .died(.crashed)), .spawn(3, path: "m")])
    play.makeReady(3, at: 3, runs: [.run(3, 3)])
    play.check(4, [.finished(3)], [.run(4, 3)])
    play.check(4, [.submitted(5, digest: 66), .submitted(6, digest: 6)], [])
    play.check(5, [.finished(4)], [.run(5, 3)])
    play.check(6, [.childExited(3, .signalled(6))], [.fail(5, .died(.quarantined)), .spawn(4, path: "m")])
    play.makeReady(4, at: 6, runs: [.run(6, 4)])
    play.check(7, [.submitted(7, digest: 66)], [.fail(7, .died(.quarantined))])
    play.check(7, [.submitted(8, digest: 3)], [.run(8, 4)])
  }

  @Test func killsFromOutsideCountAgainstNobody() {
    let play = Play()
    play.check(0, [.wanted], [.spawn(1, path: "m")])
    var time = 0.0
    for round in 1...6 {
      play.makeReady(round, at: time)
      play.check(
        time, [.submitted(round, digest: 1), .submitted(100 + round, digest: 2)],
        [.run(round, round), .run(100 + round, round)])
      play.at(time, .partialSent(round), .partialSent(100 + round))
      play.at(time, .childExited(round, round.isMultiple(of: 2) ? .signalled(9) : .signalled(15)))
      if case .backingOff(let until) = play.state.phase {
        time = Double(until.components.seconds) + Double(until.components.attoseconds) / 1e18
        play.at(time, .tick)
      }
    }
    play.check(time, [.submitted(50, digest: 1), .submitted(51, digest: 2)], [])
    play.makeReady(7, at: time, runs: [.run(50, 7), .run(51, 7)])
  }

  @Test func aStallEndsTheChild() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1)])
    play.check(5, [.heartbeat(1, steps: 3, stepTime: .milliseconds(100))], [])
    #expect(play.state.nextDeadline() == .seconds(15))
    // A heart that beats without getting on does not count.
    play.check(14, [.heartbeat(1, steps: 3, stepTime: .milliseconds(100))], [])
    play.check(15, [.tick], [.kill(1)])
    play.check(15, [.childExited(1, .signalled(9))], [.restart(1), .spawn(2, path: "m")])
    play.makeReady(2, at: 15, runs: [.run(1, 2)])
    play.at(16, .partialSent(1))
    play.check(25, [.tick], [.kill(2)])
    play.check(25, [.childExited(2, .signalled(9))], [.fail(1, .died(.stalled))])
  }

  @Test func aSlowMachineIsNotAStall() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1)])
    play.check(5, [.heartbeat(1, steps: 1, stepTime: .seconds(2))], [])
    #expect(play.state.nextDeadline() == .seconds(45))
  }

  @Test func anIdleOrPausedEngineCannotStall() {
    let play = Play()
    play.check(0, [.submitted(1, digest: 1)], [.spawn(1, path: "m")])
    play.makeReady(1, at: 0, runs: [.run(1, 1)])
    play.check(1, [.paused(1, true)], [])
    #expect(play.state.nextDeadline() == nil)
    play.check(500, [.paused(1, false)], [])
    #expect(play.state.nextDeadline() == .seconds(510))
    play.check(501, [.finished(1)], [])
    #expect(play.state.nextDeadline() == .seconds(501 + 900))
  }

  @Test func loadingMayTakeLongWhileTheHeartBeats() {
    let play = Play()
    play.check(0, [.wanted], [.spawn(1, path: "m")])
    #expect(play.state.nextDeadline() == .seconds(10))
    play.check(1, [.hello(1, buildID: "b")], [.load(1, path: "m")])
    for second in stride(from: 2.0, through: 118, by: 4) {
      play.check(second, [.heartbeat(1, steps: 0, stepTime: .zero)], [])
    }
    play.check(121, [.tick], [.kill(1)])
    play.check(121, [.childExited(1, .signalled(9))], [.spawn(2, path: "m")])
  }

  @Test func aStoppedChildIsFoundWhileItLoads() {
    let play = Play()
    play.check(0, [.wanted], [.spawn(1, path: "m")])
    play.check(1, [.hello(1, buildID: "b")], [.load(1, path: "m")])
    play.check(11, [.tick], [.kill(1)])
  }

  @Test func anIdleModelIsUnloadedAndComesBackOnDemand() {
    var configuration = State.Configuration(buildID: "b")
    configuration.idleUnload = .seconds(60)
    let play = Play(configuration)
    play.check(0, [.wanted], [.spawn(1, path: "m")])
    play.makeReady(1, at: 1)
    play.check(30, [.submitted(1, digest: 1)], [.run(1, 1)])
    play.check(70, [.tick], [.kill(1)])  // 40 s without progress: a stall, not idleness
    play.check(70, [.childExited(1, .signalled(9))], [.restart(1), .spawn(2, path: "m")])
    play.makeReady(2, at: 70, runs: [.run(1, 2)])
    play.check(71, [.finished(1)], [])
    #expect(play.state.nextDeadline() == .seconds(131))
    play.check(131, [.tick], [.kill(2)])
    // A request that comes while the child ends waits for the next child.
    play.check(131, [.submitted(2, digest: 2)], [])
    play.check(131.1, [.childExited(2, .signalled(9))], [.spawn(3, path: "m")])
    play.makeReady(3, at: 132, runs: [.run(2, 3)])
    #expect(play.state.restarts == 1)
  }

  @Test func withoutIdleUnloadTheModelStays() {
    var configuration = State.Configuration(buildID: "b")
    configuration.idleUnload = nil
    let play = Play(configuration)
    play.at(0, .wanted)
    play.makeReady(1, at: 1)
    #expect(play.state.nextDeadline() == nil)
  }
}
