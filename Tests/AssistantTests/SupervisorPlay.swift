import Assistant
import AssistantProtocol
import Testing

/// Plays events at given seconds and compares the actions; announcements and log lines only where the test is about
/// them.
final class Play {
  typealias State = SupervisorState

  var state: State
  var now: Duration = .zero

  init(_ configuration: State.Configuration = .init(buildID: "b"), modelPath: String = "m") {
    state = State(configuration: configuration, modelPath: modelPath)
  }

  @discardableResult
  func at(_ seconds: Double, _ events: State.Event...) -> [State.Action] {
    now = .seconds(seconds)
    return events.flatMap { state.handle($0, at: now) }
  }

  func check(
    _ seconds: Double, _ events: [State.Event], _ expected: [State.Action],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    now = .seconds(seconds)
    let actions = events.flatMap { state.handle($0, at: now) }.filter {
      switch $0 {
      case .log, .announce: false
      case .spawn, .kill, .load, .run, .restart, .cancel, .fail, .answer: true
      }
    }
    #expect(actions == expected, sourceLocation: sourceLocation)
  }

  /// From nothing to a ready child; the generation is the next one.
  func makeReady(_ generation: Int, at seconds: Double, runs: [State.Action] = []) {
    check(seconds, [.hello(generation, buildID: "b")], [.load(generation, path: state.modelPath)])
    check(seconds, [.loaded(generation)], runs)
  }
}

extension Unavailability {
  static let notFound = Unavailability(.modelNotFound, message: "no file", remedy: "make model")
}
