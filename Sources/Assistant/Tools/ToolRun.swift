import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import Synchronization

/// The calls of tools for one request. The model names a tool, or none, and then gives its arguments; both are held to
/// what they may be, so that any model can do it. What goes wrong with a tool is told to the model and to the caller,
/// and the request goes on.
struct ToolRun: Sendable {
  private static let mostArgumentTokens = 512

  let engine: any EngineService
  let tools: [Tool]
  let choice: ToolChoice
  let sessionID: SessionID?
  let sink: RequestSink
  let calls: ToolCalls
  private var isDone = false

  /// - Parameter calls: those of an earlier run for the same request, which are not made again.
  init(
    engine: any EngineService, tools: [Tool], choice: ToolChoice, sessionID: SessionID?, sink: RequestSink,
    calls: ToolCalls = ToolCalls()
  ) {
    self.engine = engine
    self.tools = tools.map { tool in
      var tool = tool
      tool.catalog = sink.catalog
      return tool
    }
    self.choice = choice
    self.sessionID = sessionID
    self.sink = sink
    self.calls = calls
    isDone = !calls.all.isEmpty
  }

  var records: [ToolCallRecord] { calls.all }
  /// Of all that the model was asked for the calls.
  var costs: CallCosts { calls.costs }

  /// What the model is told of the calls.
  var results: String { ToolPrompt.results(records.flatMap { $0.entries(at: "") }) }

  /// Lets the model call tools until it wants none, has called as many as it may, or calls one a second time in the
  /// same way. Called again after an error of the engine, it goes on where it was: no call is made twice.
  /// - Parameter messages: the conversation; its last message is what the tools are to help with.
  mutating func run(_ messages: [PromptMessage], _ progress: inout ProgressReporter) async throws(RequestFailure) {
    guard choice != .none else { return }
    if tools.isEmpty {
      guard choice == .required else { return }
      throw .invalid(JSONMismatch(path: "toolChoice", "must not be “required” when there are no tools"))
    }
    while !isDone, records.count < Limits.toolCalls {
      guard let tool = try await chosen(messages, &progress) else { break }
      let arguments = try await arguments(of: tool, messages, &progress)
      if arguments == nil, choice == .required, records.isEmpty { throw .assistant(.decodingFailure(.length)) }
      guard let arguments, !records.contains(where: { $0.name == tool.name && $0.arguments == arguments }) else {
        break
      }
      try await call(tool, arguments)
    }
    isDone = true
  }

  // MARK: What the model decides

  private func chosen(
    _ messages: [PromptMessage], _ progress: inout ProgressReporter
  ) async throws(RequestFailure) -> Tool? {
    let mayAnswer = choice == .auto || !records.isEmpty
    var names = tools.map(\.name)
    if mayAnswer { names.append(ToolDefinition.noTool) }
    let question = ToolPrompt.question(tools, mayAnswer: mayAnswer)
    let answer = try await answer(
      question, messages, schema: ["enum": .array(names.map(JSONValue.string))], maxTokens: 64, &progress)
    return tools.first { .string($0.name) == answer }
  }

  /// nil when the model did not come to an end with them.
  private func arguments(
    of tool: Tool, _ messages: [PromptMessage], _ progress: inout ProgressReporter
  ) async throws(RequestFailure) -> JSONValue? {
    let value = try await answer(
      ToolPrompt.arguments(of: tool), messages, schema: tool.schema.source, maxTokens: Self.mostArgumentTokens,
      &progress)
    guard let value, tool.schema.validate(value).isEmpty else { return nil }
    return value
  }

  /// A value that the model makes of a question; nil when it is not whole.
  private func answer(
    _ question: String, _ messages: [PromptMessage], schema: JSONValue, maxTokens: Int,
    _ progress: inout ProgressReporter
  ) async throws(RequestFailure) -> JSONValue? {
    var params = GenerateParams()
    let known = results
    params.messages = ToolPrompt.asked(messages, known.isEmpty ? question : known + "\n\n" + question)
    params.sampling = .exact
    params.maxTokens = maxTokens
    params.schema = schema
    var text = ""
    let result = try await engine.generate(params).result { news in
      switch news {
      case .loading(let fraction): progress.loading(fraction)
      case .reading(let done, let total): progress.reading(done: done, total: total)
      case .text(let piece): text += piece
      case .restarted: text = ""
      case .structured: break
      }
    }
    calls.add(result)
    do { return try JSONParser.parse(text) } catch { return nil }
  }

  // MARK: Calls

  private func call(_ tool: Tool, _ arguments: JSONValue) async throws(RequestFailure) {
    var record = ToolCallRecord(callID: "call-\(records.count + 1)", name: tool.name, arguments: arguments)
    try sink.guardrails.refuse(arguments.writtenTexts, on: .output)
    try sink.sendPartial?(.tool(ToolProgress(callID: record.callID, name: tool.name, state: .calling)))
    let outcome = try await outcome(of: tool, record)
    switch outcome {
    case .success(let content):
      try sink.guardrails.refuse([content], on: .input)
      record.result = content
    case .failure(let failure): record.error = ToolError(tool.name, failure.reason)
    }
    calls.append(record)
    let state: ToolProgress.State = record.error == nil ? .done : .failed
    try sink.sendPartial?(.tool(ToolProgress(callID: record.callID, name: tool.name, state: state)))
  }

  private struct Failure: Error { let reason: ToolFailure }

  private func outcome(
    of tool: Tool, _ record: ToolCallRecord
  ) async throws(RequestFailure) -> Result<String, Failure> {
    if let builtin = tool.builtin {
      return builtin.run(record.arguments, tool.catalog).map { .success($0) } ?? .failure(Failure(reason: .error))
    }
    guard let callTool = sink.callTool else { return .failure(Failure(reason: .error)) }
    var params = ToolCall.Params()
    params.sessionID = sessionID
    params.callID = record.callID
    params.name = tool.name
    params.arguments = record.arguments
    params.confirm = tool.confirm
    let answer: JSONValue
    do throws(RPCError) {
      answer = try await callTool(params, tool.timeout)
    } catch {
      // The request itself was cancelled, and the tool with it.
      if Task.isCancelled { throw .engine(.cancelled) }
      return .failure(Failure(reason: ToolFailure(error)))
    }
    guard case .string(let content)? = answer["content"] else { return .failure(Failure(reason: .invalidResult)) }
    guard content.utf8.count <= Limits.toolResultBytes else { return .failure(Failure(reason: .tooLarge)) }
    return .success(content)
  }
}

/// The calls that were made for a request, and what the model's decisions cost. A request that begins anew after an
/// error of the engine finds them here.
final class ToolCalls: Sendable {
  private struct State {
    var records: [ToolCallRecord] = []
    var costs = CallCosts()
  }

  private let state = Mutex(State())

  var all: [ToolCallRecord] { state.withLock { $0.records } }
  var costs: CallCosts { state.withLock { $0.costs } }

  /// The bytes of the longest result; 0 when there is none.
  var longestResult: Int { all.map { $0.result?.utf8.count ?? 0 }.max() ?? 0 }

  func append(_ record: ToolCallRecord) { state.withLock { $0.records.append(record) } }

  func add(_ result: GenerateResult) { state.withLock { $0.costs.add(result) } }

  /// Takes the longest result away, which then counts as too large. False when there is none.
  func dropLongestResult() -> Bool {
    state.withLock { state in
      let lengths = state.records.map { $0.result?.utf8.count ?? 0 }
      guard let longest = lengths.max(), longest > 0, let index = lengths.firstIndex(of: longest) else { return false }
      state.records[index].result = nil
      state.records[index].error = ToolError(state.records[index].name, .tooLarge)
      return true
    }
  }
}

extension ToolFailure {
  /// What an error says of a client's tool.
  fileprivate init(_ error: RPCError) {
    if error == .timedOut {
      self = .timeout
    } else if error.code == RPCError.cancelled.code || error.data?["kind"] == .string(ToolFailure.declined.rawValue) {
      self = .declined
    } else {
      self = .error
    }
  }
}
