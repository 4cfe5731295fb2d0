import AssistantProtocol
import Client
import JSON
import JSONRPC

/// What a job asks of the assistant.
enum AssistantRequest: Sendable {
  case rephrase(Rephrase.Params)
  case summarize(Summarize.Params, Placement)
  case brainstorm(Brainstorm.Params, Placement)
  case command(CustomCommand.Params)
}

/// What the assistant has given.
struct JobAnswer: Sendable {
  let text: String
  let delivery: Delivery
  /// What the reader of the text should know.
  let warnings: [Warning]

  init(text: String, delivery: Delivery, _ result: some GenerationResult) {
    self.text = text
    self.delivery = delivery
    // That more than one draft was written is no news to who reads the best of them.
    warnings = result.common.warnings.filter { $0.code != .retried }
  }
}

extension AssistantService {
  /// - Parameters:
  ///   - source: the selection as it was.
  ///   - encoding: the units in which the assistant counts.
  func answer(
    _ request: AssistantRequest, to source: String, in encoding: PositionEncoding,
    onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) async throws(RPCError) -> JobAnswer {
    switch request {
    case .rephrase(let params):
      let result = try await call(Rephrase.self, params, wanting: [.workDone], onProgress: onProgress)
      return JobAnswer(
        text: result.text,
        delivery: .rewrite(Hunk.hunks(from: source, to: result.text, result.edits, in: encoding)), result)
    case .summarize(let params, let placement):
      let result = try await call(Summarize.self, params, wanting: [.workDone], onProgress: onProgress)
      return JobAnswer(
        text: result.text, delivery: placement.delivery(of: result.text), result)
    case .brainstorm(let params, let placement):
      let result = try await call(Brainstorm.self, params, wanting: [.workDone], onProgress: onProgress)
      return JobAnswer(
        text: result.rendered, delivery: placement.delivery(of: result.rendered), result)
    case .command(let params):
      let result = try await call(CustomCommand.self, params, wanting: [.workDone], onProgress: onProgress)
      let delivery: Delivery =
        switch result.output {
        case .show: .show(result.text)
        case .insert: .insertBelow(result.text)
        case .replace where source.isEmpty: .insertBelow(result.text)
        case .replace: .rewrite(Hunk.hunks(from: source, to: result.text, result.edits, in: encoding))
        }
      return JobAnswer(text: result.text, delivery: delivery, result)
    }
  }
}

extension Placement {
  fileprivate func delivery(of text: String) -> Delivery {
    switch self {
    case .above: .insertAbove(text)
    case .below: .insertBelow(text)
    case .replace: .replace(text)
    case .newDocument: .newDocument(text)
    case .message: .show(text)
    }
  }
}
