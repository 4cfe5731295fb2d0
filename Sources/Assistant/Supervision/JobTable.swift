import EngineProtocol
import Synchronization

/// The requests that have not ended, with the streams their events go to. Text comes in on the connection's reading
/// thread and goes straight to its stream, so it cannot be overtaken by the response that follows it.
final class JobTable: Sendable {
  enum Work: Sendable {
    case generate(GenerateParams)
    case count(String)
  }

  private struct Job {
    let work: Work
    let flags: EngineJob.Flags
    let events: AsyncStream<EngineJobEvent>.Continuation
    /// The child it runs in; 0 while it waits. What another child says of it is dropped.
    var generation = 0
  }

  private let jobs = Mutex<[Int: Job]>([:])

  func add(
    _ key: Int, _ work: Work, flags: EngineJob.Flags, events: AsyncStream<EngineJobEvent>.Continuation
  ) {
    jobs.withLock { $0[key] = Job(work: work, flags: flags, events: events) }
  }

  func work(_ key: Int) -> Work? { jobs.withLock { $0[key]?.work } }

  /// Those of whose output the client has seen something.
  func keysWithPartials() -> [Int] {
    jobs.withLock { jobs in jobs.filter { $0.value.flags.hasSentPartial }.map(\.key) }
  }

  func start(_ key: Int, in generation: Int) { jobs.withLock { $0[key]?.generation = generation } }

  /// Passes on what a child says of a request that runs in it.
  func send(_ event: EngineJobEvent, to key: Int, from generation: Int) {
    jobs.withLock { jobs in
      guard let job = jobs[key], job.generation == generation else { return }
      job.events.yield(event)
    }
  }

  /// The output so far is void.
  func restart(_ key: Int) {
    jobs.withLock { jobs in
      jobs[key]?.generation = 0
      jobs[key]?.events.yield(.restarted)
    }
  }

  func tellWaiting(_ event: EngineJobEvent) {
    jobs.withLock { jobs in
      for job in jobs.values where job.generation == 0 { job.events.yield(event) }
    }
  }

  /// Whether the request runs in that child.
  func runs(_ key: Int, in generation: Int) -> Bool { jobs.withLock { $0[key]?.generation == generation } }

  func end(_ key: Int, with event: EngineJobEvent) {
    let job = jobs.withLock { $0.removeValue(forKey: key) }
    // Outside the lock: finishing a stream calls its termination handler.
    job?.events.yield(event)
    job?.events.finish()
  }
}
