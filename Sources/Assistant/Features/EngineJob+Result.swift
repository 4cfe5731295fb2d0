import EngineProtocol
import JSON

extension EngineJob {
  /// What is heard of a job that generates before its end; see `EngineJobEvent`.
  enum News {
    case loading(Double)
    case reading(done: Int, total: Int)
    case text(String)
    case structured(JSONValue)
    case restarted
  }

  /// Hears the job to its end. An error of `hear` ends the job.
  func result(
    _ hear: (News) async throws(RequestFailure) -> Void
  ) async throws(RequestFailure) -> GenerateResult {
    for await event in events {
      switch event {
      case .loading(let fraction): try await hear(.loading(fraction))
      case .reading(let done, let total): try await hear(.reading(done: done, total: total))
      case .text(let piece): try await hear(.text(piece))
      case .structured(let value): try await hear(.structured(value))
      case .restarted: try await hear(.restarted)
      case .finished(let result): return result
      case .counted: throw .engine(.refused("the engine counted instead of generating"))
      case .failed(let failure): throw .engine(failure)
      }
    }
    throw .engine(.cancelled)
  }
}
