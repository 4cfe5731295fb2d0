import EngineProtocol
import JSON
import Synchronization

/// What features need of an engine. `EngineSupervisor` serves it with a child process; tests script it.
public protocol EngineService: Sendable {
  /// Generates for one prompt; waits for the model if need be. `params.request` is chosen by the service.
  func generate(_ params: GenerateParams) -> EngineJob
  /// Counts the tokens of a text, as a job whose only result is `counted`.
  func count(_ text: String) -> EngineJob
  func status() async -> EngineReport
  /// Changes the model. Running requests finish first, or end when `force` is set; on failure the old model returns.
  func load(path: String, force: Bool) async throws(Unavailability)
  /// Takes the model out of memory; the next request loads it again.
  func unload() async throws(Unavailability)
  /// Each change of the availability from now on.
  func availabilityChanges() -> AsyncStream<EngineAvailability>
  /// What it shows the model besides what a prompt says.
  var shownTexts: [String] { get }
}

extension EngineService {
  public var shownTexts: [String] { [] }
}

/// What happens to a request, in order. The last event is `finished`, `counted` or `failed`.
public enum EngineJobEvent: Sendable, Equatable {
  /// It waits for the model; 0…1.
  case loading(progress: Double)
  /// So many tokens of the prompt are read.
  case reading(done: Int, total: Int)
  case text(String)
  /// The value so far of an answer with a schema; replaces the one before.
  case structured(JSONValue)
  /// The engine died; the request runs again, and the text so far is void.
  case restarted
  case finished(GenerateResult)
  case counted(Int)
  case failed(EngineFailure)
}

/// One request at the engine. Ending the iteration over its events early cancels it.
public struct EngineJob: Sendable {
  public let events: AsyncStream<EngineJobEvent>
  private let flags: Flags
  private let control: @Sendable (Control) -> Void

  /// What the consumer may ask of a job that runs.
  public enum Control: Sendable {
    case pause(Bool)
    case finish
  }

  /// - Parameter control: called by `setPaused` and `finish`.
  public init(events: AsyncStream<EngineJobEvent>, flags: Flags, control: @escaping @Sendable (Control) -> Void) {
    self.events = events
    self.flags = flags
    self.control = control
  }

  /// Says that something of the output is about to be sent to the client: from now on the request is not run again
  /// when the engine dies.
  public func notePartialSent() { flags.partialSent.store(true, ordering: .releasing) }

  /// Stops or goes on generating, for a client that reads slowly.
  public func setPaused(_ isPaused: Bool) { control(.pause(isPaused)) }

  /// Ends the answer where it stands: nothing that follows can be used. `finished` comes as usual; until then more text
  /// may come.
  public func finish() { control(.finish) }

  /// What the consumer tells the service without a wait.
  public final class Flags: Sendable {
    fileprivate let partialSent = Atomic(false)
    public init() {}
    public var hasSentPartial: Bool { partialSent.load(ordering: .acquiring) }
  }
}

/// What is known of the engine now.
public struct EngineReport: Sendable {
  public var availability = EngineAvailability.unavailable(.unloaded)
  /// The loaded model; nil while there is none.
  public var model: ModelFacts?
  /// The model that is loaded, or would be.
  public var modelPath = ""
  public var processID: Int?
  /// How often the engine died and was started again.
  public var restarts = 0
  public var sequences = 0
  public var cachedTokens = 0
  public var activeRequests = 0
  public var queuedRequests = 0
  public init() {}
}
