import Synchronization

/// The longest time that a piece of work may take.
final class TimeLimit: Sendable {
  private let passed = Atomic(false)
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - time: nil: no limit.
  ///   - cancel: ends the work.
  init(_ time: Duration?, cancel: @escaping @Sendable () -> Void) {
    guard let time else { return }
    let waiting = Task { [self] in
      // The sleep of a cancelled task fails: the work was done in time.
      do { try await Task.sleep(for: time) } catch { return }
      passed.store(true, ordering: .relaxed)
      cancel()
    }
    task.withLock { $0 = waiting }
  }

  var hasPassed: Bool { passed.load(ordering: .relaxed) }

  /// The work is done.
  func end() { task.withLock { $0?.cancel() } }
}
