import AssistantProtocol
import JSON
import JSONRPC
import Testing

@Suite struct ErrorTests {
  private static let examples: [AssistantError] =
    UnavailabilityReason.allCases.map { .modelUnavailable($0, message: "It cannot.", remedy: "Do this.") }
    + EngineFailureReason.allCases.map { .engineFailed($0) }
    + [
      .contextWindowExceeded(promptTokens: 9, contextSize: 8, reservedForOutput: 7), .sessionNotFound(sessionID: "s"),
      .sessionBusy(sessionID: "s"), .emptyPrompt, .unsupportedSchema(pointer: "/a", keyword: "not"),
      .unsupportedSchema(pointer: "", keyword: "type", problem: "type must be a word"),
      .guardrailViolation(rule: "r"), .refusal, .emptyOutput, .toolFailed(name: "t", reason: .timeout),
      .tooHot(.critical),
      .overloaded(limit: 64), .tooManySessions(limit: 64), .sessionTooLarge(limit: 9), .sessionExists(sessionID: "s"),
      .decodingFailure(.length),
      .decodingFailure(.stop),
    ]

  /// Code, kind and data are those of the table.
  @Test(arguments: examples)
  func wireForm(_ error: AssistantError) throws {
    let rpcError = error.rpcError
    #expect(rpcError.code == error.kind.code)
    guard case .object(let data)? = rpcError.data else { throw JSONMismatch("has no data") }
    #expect(data.members.map(\.name) == ["kind", "retryable"] + error.kind.dataFields)
    #expect(data["kind"] == .string(error.kind.rawValue))
    #expect(data["retryable"] == .bool(error.isRetryable))
    #expect(rpcError.message.hasSuffix("."))
  }

  @Test func everyKindHasAnExample() {
    #expect(Set(Self.examples.map(\.kind)) == Set(AssistantErrorKind.allCases))
  }

  @Test func codesAreTheContract() {
    #expect(AssistantErrorKind.allCases.map(\.code) == Array(1001...1015))
    #expect(
      AssistantErrorKind.allCases.map(\.rawValue) == [
        "modelUnavailable", "contextWindowExceeded", "sessionNotFound", "sessionBusy", "emptyPrompt",
        "unsupportedSchema", "guardrailViolation", "refusal", "emptyOutput", "toolFailed", "tooHot", "overloaded",
        "engineFailed", "sessionExists", "decodingFailure",
      ])
  }

  @Test(arguments: [
    (AssistantError.engineFailed(.crashed), true), (.engineFailed(.quarantined), false), (.emptyPrompt, false),
    (.overloaded(limit: 1), true), (.modelUnavailable(.modelNotFound, message: "", remedy: ""), false),
    (.modelUnavailable(.outOfMemory, message: "", remedy: ""), true),
  ])
  func retryable(_ error: AssistantError, _ expected: Bool) { #expect(error.isRetryable == expected) }

  @Test func standardCodesAreThoseOfRPCError() {
    #expect(RPCError.parseError("").code == StandardErrorCode.parseError.rawValue)
    #expect(RPCError.invalidRequest("").code == StandardErrorCode.invalidRequest.rawValue)
    #expect(RPCError.methodNotFound("").code == StandardErrorCode.methodNotFound.rawValue)
    #expect(RPCError.invalidParams("").code == StandardErrorCode.invalidParams.rawValue)
    #expect(RPCError.internalError("").code == StandardErrorCode.internalError.rawValue)
    #expect(RPCError.notInitialized.code == StandardErrorCode.serverNotInitialized.rawValue)
    #expect(RPCError.cancelled.code == StandardErrorCode.requestCancelled.rawValue)
  }

  @Test(
    arguments: [
      (nil, false), (nil as JSONValue?, false), ([:], false), (["assistant": nil], false),
      (["assistant": false], false),
      (["assistant": true], true), (["assistant": [:]], true), (["assistant": ["x": 1]], true), (["other": 1], false),
      ([], false),
    ] as [(JSONValue?, Bool)])
  func clientsThatKnowTheAssistant(_ experimental: JSONValue?, _ expected: Bool) {
    var capabilities = ClientCapabilities()
    capabilities.experimental = experimental
    #expect(capabilities.knowsAssistant == expected)
  }

  @Test func methodsToCall() {
    #expect(
      MethodList.callable == [
        "assistant/rephrase", "assistant/summarize", "assistant/brainstorm", "assistant/generate", "assistant/chat",
        "assistant/command", "assistant/prewarm", "assistant/countTokens", "session/create", "session/list",
        "session/get", "session/update",
        "session/fork", "session/rewind", "session/reset", "session/delete", "session/export", "daemon/status",
        "model/status", "model/load", "model/unload",
      ])
  }
}
