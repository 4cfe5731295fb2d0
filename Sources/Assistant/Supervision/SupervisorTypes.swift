import AssistantProtocol

/// A reason with words for a person.
public struct Unavailability: Error, Equatable {
  public var reason: UnavailabilityReason
  /// What is wrong, one sentence.
  public var message: String
  /// What to do about it, one sentence.
  public var remedy: String

  public init(_ reason: UnavailabilityReason, message: String, remedy: String) {
    self.reason = reason
    self.message = message
    self.remedy = remedy
  }
}

/// Whether requests can be served.
public enum EngineAvailability: Sendable, Equatable {
  case available
  /// Requests wait; the progress is between 0 and 1.
  case loading(progress: Double)
  case unavailable(Unavailability)

  /// Without the message, which names a path.
  var forLog: String {
    switch self {
    case .available: "available"
    case .loading(let progress): "loading (\(Int(progress * 100)) %)"
    case .unavailable(let why): "unavailable (\(why.reason.rawValue))"
    }
  }
}

/// Why a request could not be served. `wireError` makes the client's error of it.
public enum EngineFailure: Error, Equatable {
  case unavailable(Unavailability)
  /// The engine died under the request.
  case died(EngineFailureReason)
  case contextWindowExceeded(promptTokens: Int, contextSize: Int, reservedForOutput: Int)
  /// The engine cannot hold a model to this schema.
  case unsupportedSchema(pointer: String, keyword: String, problem: String)
  /// As many requests are waiting and running as are allowed.
  case overloaded(limit: Int)
  case cancelled
  /// The engine is alive and answered with an error.
  case refused(String)

}

/// How a child process ended.
public enum ChildExitStatus: Sendable, Equatable {
  case exited(code: Int32)
  case signalled(Int32)
}

extension SupervisorState {
  /// Time since the supervisor began.
  public typealias Instant = Duration
  /// Names a request; `GenerateParams.request` in the engine's wire.
  public typealias RequestKey = Int
  /// Names a child; children of one supervisor are numbered from 1. What a former child still says is ignored.
  public typealias Generation = Int
  /// Names a caller that waits for `model/load` or `model/unload`.
  public typealias Ticket = Int

  public enum Phase: Sendable, Equatable {
    case unloaded
    /// Spawned; has not said who it is.
    case starting
    case loading(progress: Double)
    case ready
    /// Told to end; what comes then is in the reason.
    case ending(EndReason)
    case backingOff(until: Instant)
    /// Tried again at the next request.
    case failed(Unavailability)
    /// The supervisor is shut down.
    case ended
  }

  public enum EndReason: Sendable, Equatable {
    case idle, unload, switching
    case stalled(whileStarting: Bool)
    case failed(Unavailability)
  }

  public enum Event: Sendable {
    /// The model is wanted; nobody waits for it yet.
    case wanted
    case submitted(RequestKey, digest: UInt64)
    /// Something of the request's output was sent to the client.
    case partialSent(RequestKey)
    case paused(RequestKey, Bool)
    case finished(RequestKey)
    /// The engine answered with an error.
    case failed(RequestKey, EngineFailure)
    case cancelled(RequestKey)
    case spawnFailed(Generation, Unavailability)
    case hello(Generation, buildID: String)
    case loadProgress(Generation, Double)
    case loaded(Generation)
    case loadFailed(Generation, Unavailability)
    case heartbeat(Generation, steps: Int, stepTime: Duration)
    /// Any other message of the child.
    case message(Generation)
    case childExited(Generation, ChildExitStatus)
    case loadModel(path: String, force: Bool, Ticket)
    /// Nobody waits for that `model/load` or `model/unload` any more.
    case changeCancelled(Ticket)
    case unloadModel(Ticket)
    case shutdown
    /// A deadline has passed.
    case tick
  }

  public enum Action: Sendable, Equatable {
    case spawn(Generation, path: String)
    case kill(Generation)
    case load(Generation, path: String)
    /// Send the request to the child.
    case run(RequestKey, Generation)
    /// Its output so far is void; it will run again.
    case restart(RequestKey)
    case cancel(RequestKey, Generation)
    case fail(RequestKey, EngineFailure)
    case announce(EngineAvailability)
    /// Answer `model/load` or `model/unload`: nil for success.
    case answer(Ticket, Unavailability?)
    case log(String)
  }

  /// What does not change in a supervisor's life. The defaults are those of the shipped daemon.
  public struct Configuration: Sendable {
    /// The front end's own; a child of another build is ended.
    public var buildID: String
    /// nil: the model stays loaded.
    public var idleUnload: Duration? = .seconds(15 * 60)
    /// Requests waiting and running. One of a client's has 15 of these at most at the same time (`TextWriter`), and 256
    /// of clients are taken in, beside what they have read beforehand: none of them ever fails by this bound.
    public var requestLimit = 256 * 16
    /// Requests running. The engine takes in no more than 256, those about itself among them.
    public var runningLimit = 240
    /// The shortest time without progress after which a child counts as stalled.
    public var stallFloor: Duration = .seconds(10)
    /// A step may take this many times the average step.
    public var stallFactor = 20
    /// Loading may go without progress for as long, if the child shows signs of life.
    public var loadStall: Duration = .seconds(120)
    /// Deaths in a row, before the model was ready, after which it counts as unavailable.
    public var startAttempts = 3
    /// The wait before the third start in a row; doubled each time. The second start is at once.
    public var firstBackOff: Duration = .milliseconds(500)
    public var longestBackOff: Duration = .seconds(30)

    public init(buildID: String) { self.buildID = buildID }
  }
}
