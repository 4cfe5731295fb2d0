import JSONRPC
import Synchronization

/// Edits of one document are sent one after the other, so that each is made for the text that the one before has left.
final class DocumentTurns: Sendable {
  /// The addresses of documents that somebody edits, with those who wait for it.
  private let waiting = Mutex<[ExactString: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs the work when nobody else edits the document.
  func run<Value>(_ uri: String, _ work: () async -> Value) async -> Value {
    let key = ExactString(uri)
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        if waiting[key] != nil {
          waiting[key]?.append(continuation)
          return false
        }
        waiting[key] = []
        return true
      }
      if isFree { continuation.resume() }
    }
    let value = await work()
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      if waiting[key]?.isEmpty == false { return waiting[key]?.removeFirst() }
      waiting[key] = nil
      return nil
    }
    next?.resume()
    return value
  }
}
