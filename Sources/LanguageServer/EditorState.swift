import AssistantProtocol
import JSON
import JSONRPC

/// All that is known of one editor. A plain value: whoever has it decides what becomes of it.
struct EditorState: Sendable {
  /// Jobs that may run at once.
  static let mostJobs = 32

  struct RunningJob: Sendable {
    var uri: String
    /// nil until it has been started.
    var task: Task<Void, Never>?
  }

  var documents = Documents(encoding: .utf16)
  var client = ClientTraits()
  /// In which the service counts.
  var serviceEncoding = PositionEncoding.utf8
  var options = FaceOptions()
  /// What is wrong with the settings and has not been told yet.
  var problems: [String] = []
  var waiters = ChangeWaiters()
  var isClosed = false
  private var jobs: [JobID: RunningJob] = [:]
  private var nextNumber = 1
  /// Errors that were told since there were no jobs last, so that those that fail together say so once.
  private var told: Set<ExactString> = []

  var jobCount: Int { jobs.count }

  /// A new job, whose range is followed from now on. The document must be open.
  mutating func beginJob(in uri: String, at range: Range<Int>) -> JobID {
    let id = JobID(nextNumber)
    nextNumber += 1
    jobs[id] = RunningJob(uri: uri)
    documents[uri]?.track(range, for: id)
    return id
  }

  /// False when the job has ended before it was started.
  mutating func started(_ id: JobID, _ task: Task<Void, Never>) -> Bool {
    guard jobs[id] != nil else { return false }
    jobs[id]?.task = task
    return true
  }

  /// Whether the job still is to have an effect.
  func isLive(_ id: JobID) -> Bool { jobs[id] != nil }

  /// The job is over, or is not wanted any more: from here on it does nothing to any document.
  mutating func endJob(_ id: JobID) -> RunningJob? {
    guard let job = jobs.removeValue(forKey: id) else { return nil }
    documents[job.uri]?.forget(id)
    if jobs.isEmpty { told = [] }
    return job
  }

  /// Ends the jobs of one document, or all.
  mutating func endJobs(in uri: String? = nil) -> [RunningJob] {
    let ended = jobs.filter { uri == nil || $0.value.uri.hasSameBytes(as: uri ?? "") }.keys
    return ended.compactMap { endJob($0) }
  }

  /// Whether an error of a job has not been told already.
  mutating func isNews(_ error: String) -> Bool { told.insert(ExactString(error)).inserted }
}

/// Those who wait for the next change of a document.
struct ChangeWaiters: Sendable {
  typealias Waiter = CheckedContinuation<Bool, Never>

  private var next = 1
  private var waiting: [Int: (uri: String, revision: Int, waiter: Waiter)] = [:]

  mutating func add(_ uri: String, beyond revision: Int, _ waiter: Waiter) -> Int {
    defer { next += 1 }
    waiting[next] = (uri, revision, waiter)
    return next
  }

  mutating func remove(_ number: Int) -> Waiter? { waiting.removeValue(forKey: number)?.waiter }

  /// Those for whom this revision is what they wait for; nil: all of the document's, which has been closed.
  mutating func take(_ uri: String, at revision: Int?) -> [Waiter] {
    let found = waiting.filter { entry in
      entry.value.uri.hasSameBytes(as: uri) && (revision.map { $0 > entry.value.revision } ?? true)
    }
    return found.keys.compactMap { remove($0) }
  }

  mutating func takeAll() -> [Waiter] {
    defer { waiting = [:] }
    return waiting.values.map(\.waiter)
  }
}
