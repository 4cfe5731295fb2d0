#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which file is loaded for a model: its prepared copy, as long as that can be loaded.
package struct PreparedChoice {
  private let models: PreparedModels?
  /// Models whose copy could not be loaded by this process.
  private var distrusted: Set<String> = []
  /// Models under whose copy one child has ended that may have been ended from outside.
  private var suspected: Set<String> = []
  /// The model whose copy a child is loading.
  private var attempt: (generation: Int, source: String)?

  /// - Parameter models: nil: copies are not used.
  package init(_ models: PreparedModels?) { self.models = models }

  /// The copy that this child is to load; nil when it is to load the model's own file.
  package mutating func copy(of source: String, for generation: Int, log: Log) -> String? {
    attempt = nil
    guard let models, !distrusted.contains(source) else { return nil }
    switch models.find(source) {
    case .none, .sourceIsBest: return nil
    case .ignored(let why):
      log.warning("the prepared copy \(why); the model's own file is used (“inkling prepare” makes a new one)")
      return nil
    case .copy(let path, _):
      attempt = (generation, source)
      return path
    }
  }

  /// The child has loaded a file.
  package mutating func loaded() {
    if let attempt { suspected.remove(attempt.source) }
    attempt = nil
  }

  /// The child could not load the copy.
  package mutating func failed(_ source: String, log: Log) {
    attempt = nil
    distrusted.insert(source)
    log.warning(
      "the prepared copy cannot be loaded; the model's own file is used (“inkling prepare --force” makes a new one)")
  }

  /// The child has ended. One that crashed while it loaded a copy would do so again. One that was killed may have been
  /// ended by a person; but the system also ends what takes too much memory, and the supervisor what does not get on,
  /// so that a copy under which it happens twice is not tried a third time.
  ///
  /// - Parameter phase: the supervisor's, before it hears of the end.
  package mutating func exited(
    _ generation: Int, _ status: ChildExitStatus, in phase: SupervisorState.Phase, log: Log
  ) {
    guard let attempt, attempt.generation == generation else { return }
    self.attempt = nil
    switch phase {
    case .ending(.idle), .ending(.unload), .ending(.switching), .ended: return
    case .ending(.stalled), .ending(.failed), .starting, .loading, .ready, .unloaded, .backingOff, .failed: break
    }
    let isFirst = suspected.insert(attempt.source).inserted
    switch status {
    case .signalled(SIGKILL), .signalled(SIGTERM), .exited(code: 0):
      if !isFirst { failed(attempt.source, log: log) }
    case .signalled, .exited: failed(attempt.source, log: log)
    }
  }
}
