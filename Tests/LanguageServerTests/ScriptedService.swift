import AssistantProtocol
import Client
import JSON
import JSONRPC
import Synchronization
import TestSupport
import Testing

/// The deadline of each wait.
let patience = Duration.seconds(60)

/// An assistant whose answers the test gives, one call after another.
final class ScriptedService: AssistantService {
  private let calls = Mailbox<ScriptedCall>()

  func call(
    _ method: String, _ params: JSONValue, wanting wanted: Set<ProgressKind>,
    onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) async throws(RPCError) -> JSONValue {
    let call = ScriptedCall(method, params, wanted, onProgress)
    calls.put(call)
    return try await call.outcome().get()
  }

  /// The next call that the face makes.
  func next() async throws -> ScriptedCall {
    let call = try await withDeadline(patience, "a call of the assistant") { [calls] in await calls.take() }
    return try #require(call)
  }
}

/// A call that waits for the test's answer. It does not end by being cancelled: a stubborn assistant is the worst case.
final class ScriptedCall: Sendable {
  let method: String
  let params: JSONValue
  let wanted: Set<ProgressKind>
  let cancelled = Gate()
  private let onProgress: @Sendable (ProgressValue) -> Void
  private let answer = Mailbox<Result<JSONValue, RPCError>>()

  init(
    _ method: String, _ params: JSONValue, _ wanted: Set<ProgressKind>,
    _ onProgress: @escaping @Sendable (ProgressValue) -> Void
  ) {
    self.method = method
    self.params = params
    self.wanted = wanted
    self.onProgress = onProgress
  }

  func outcome() async -> Result<JSONValue, RPCError> {
    await withTaskCancellationHandler {
      await answer.take() ?? .failure(.cancelled)
    } onCancel: {
      cancelled.open()
    }
  }

  var text: JSONValue? { params["text"] ?? params["topic"] }

  func report(_ message: String, _ percentage: Int) {
    onProgress(.workDone(.report(WorkDoneReport(message: message, percentage: percentage))))
  }

  func fail(_ error: RPCError) { answer.put(.failure(error)) }

  /// Answers in the form of the method, with edits only where they are given.
  func reply(_ text: String, edits: [TextEdit] = [], warnings: [Warning] = []) {
    let common = CommonResult(usage: Usage(), finishReason: .stop, warnings: warnings)
    let result: any JSONMessage
    switch method {
    case Rephrase.name: result = Rephrase.Result(alternatives: [text], tone: .formal, edits: edits, common: common)
    case Summarize.name:
      var summary = Summarize.Result()
      (summary.text, summary.common) = (text, common)
      result = summary
    case Brainstorm.name: result = Brainstorm.Result(kind: .ideas, value: nil, rendered: text, common: common)
    case _:
      var command = CommandDefinition()
      command.id = params["id"]?.stringValue ?? ""
      command.output = command.id == "fix" ? .replace : command.id == "greet" ? .insert : .show
      var outcome = CustomCommand.Result(command, text: text, common: common)
      outcome.edits = edits
      result = outcome
    }
    answer.put(.success(result.json))
  }
}
