import AssistantProtocol
import EngineProtocol
import JSON
import JSONRPC
import Testing

/// The one door: a text with every field of the type, in the type's order, is read and written again the same.
/// - Parameter absent: fields that are not in it.
private func check<Message: JSONMessage>(
  _: Message.Type, _ text: String, without absent: [String], sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let json = try JSONParser.parse(text)
  guard case .object(let object) = json else {
    return #expect(Bool(false), "no object", sourceLocation: sourceLocation)
  }
  #expect(
    object.members.map(\.name) == Message.fields.map(\.name).filter { !absent.contains($0) },
    sourceLocation: sourceLocation)
  #expect(try Message(json: json).json == json, sourceLocation: sourceLocation)
}

private struct Sample: Sendable, CustomTestStringConvertible {
  let type: any JSONMessage.Type
  let text: String
  /// Fields that cannot stand beside the others.
  let absent: [String]
  init(_ type: any JSONMessage.Type, _ text: String, without absent: [String] = []) {
    self.type = type
    self.text = text
    self.absent = absent
  }
  var testDescription: String { String(reflecting: type) }
}

private let choice = #"{"id":"a","title":"A","description":"An A."}"#
private let feature =
  #"{"id":"f","title":"F","description":"An F.","input":"topic","output":"insert","suggestions":["x"]}"#
private let assistant =
  #"{"protocolVersion":7,"methods":["a/b"],"features":[\#(feature)],"tones":[\#(choice)],"kinds":[\#(choice)],"#
  + #""personalities":[\#(choice)],"schemaKeywords":["type"]}"#
private let server =
  #"{"positionEncoding":"utf-32","textDocumentSync":{"openClose":true,"change":2},"#
  + #""codeActionProvider":{"codeActionKinds":["k"]},"executeCommandProvider":{"commands":["c"]},"#
  + #""experimental":{"assistant":\#(assistant)}}"#
private let client =
  #"{"general":{"positionEncodings":["utf-7","utf-8"]},"workspace":{"applyEdit":true},"textDocument":{"x":[1.50]},"#
  + #""window":{"workDoneProgress":true},"experimental":{"assistant":true}}"#
private let options =
  #"{"temperature":2,"topP":0.5,"topK":40,"minP":0.05,"seed":4294967295,"maxTokens":1,"#
  + #""sampling":"random","reasoning":true}"#
private let context = #"{"languageId":"l","before":"b","after":"a","uri":"u"}"#
private let common =
  #""sessionId":"A-z_0.9","personality":"neutral","instructions":"i","options":\#(options),"context":\#(context),"#
  + #""protect":["p"],"partialResultToken":"p","#
  + #""stream":"snapshot","workDoneToken":9007199254740993"#
private let usage =
  #"{"promptTokens":1,"cachedTokens":2,"completionTokens":3,"contextUsed":4,"contextSize":5,"#
  + #""timeToFirstTokenMs":6.5,"durationMs":7.25}"#
private let warning = #"{"code":"suspiciousCharacters","message":"m","range":{"start":1,"end":2}}"#
private let outcome = #""usage":\#(usage),"finishReason":"contextFull","warnings":[\#(warning)]"#
private let reduction = #"{"originalCharacters":10,"summaryCharacters":12,"percent":-20}"#
private let availability =
  #"{"state":"unavailable","reason":"outOfMemory","message":"m","remedy":"r","progress":0.5}"#
private let model =
  #"{"name":"n","path":"p","sourcePath":"s","architecture":"a","parameterCount":1,"quantization":"q","sizeBytes":2,"#
  + #""contextSize":3,"trainedContext":4,"chatTemplate":"c","license":"l"}"#
private let engine =
  #"{"libllama":"l","threads":2,"devices":["CPU"],"sequences":3,"cachedTokens":4,"processId":5,"restarts":6}"#

private let session =
  #"{"sessionId":"s","title":"t","personality":"dory","instructions":"i","contextPolicy":"summarize","maxTurns":3,"#
  + #""turns":1,"contextUsed":2,"contextSize":4,"busy":true,"persisted":true,"createdAt":"c","updatedAt":"u"}"#
private let entry =
  #"{"role":"prompt","text":"a\u0000b","value":[1.50],"feature":"f","kind":"tags","callId":"c","name":"n","#
  + #""arguments":{"a":1e2},"error":"e","at":"2026-01-01T00:00:00Z"}"#
private let toolCall = #"{"role":"toolCall","callId":"c","name":"n","arguments":{"a":1.0}}"#
private let toolOutput = #"{"role":"toolOutput","callId":"c","error":"e"}"#
private let tool = #"{"name":"n","description":"d","parameters":{"type":"object"},"timeoutMs":1,"confirm":true}"#
private let toolFailure =
  #"{"code":1010,"message":"m","data":{"kind":"toolFailed","retryable":true,"name":"n","reason":"timeout"}}"#
private let record = #"{"callId":"c","name":"n","arguments":[1.50],"result":"r","error":\#(toolFailure)}"#
private let transcript =
  #"[{"role":"instructions","text":"i"},{"role":"instructions","text":"s"},\#(entry),\#(toolCall),"#
  + #"\#(toolOutput),{"role":"response","text":""}]"#

private let editorSamples = [
  Sample(
    Initialize.Params.self,
    #"{"processId":1,"clientInfo":{"name":"n","version":"v"},"capabilities":\#(client),"#
      + #""initializationOptions":{"a":1.50},"trace":"verbose"}"#),
  Sample(Initialize.Result.self, #"{"serverInfo":{"name":"inkling","version":"1.2.3"},"capabilities":\#(server)}"#),
  Sample(ClientInfo.self, #"{"name":"n","version":"v"}"#), Sample(ClientCapabilities.self, client),
  Sample(GeneralCapabilities.self, #"{"positionEncodings":[]}"#),
  Sample(ServerInfo.self, #"{"name":"inkling","version":"1"}"#), Sample(ServerCapabilities.self, server),
  Sample(TextDocumentSyncOptions.self, #"{"openClose":false,"change":1}"#),
  Sample(CodeActionOptions.self, #"{"codeActionKinds":["k"]}"#),
  Sample(ExecuteCommandOptions.self, #"{"commands":["c"]}"#),
  Sample(ExperimentalCapabilities.self, #"{"assistant":\#(assistant)}"#), Sample(AssistantCapabilities.self, assistant),
  Sample(FeatureDescription.self, feature), Sample(Choice.self, choice),
  Sample(CancelRequest.Params.self, #"{"id":"x"}"#), Sample(CancelRequest.Params.self, #"{"id":-1}"#),
  Sample(SetTrace.Params.self, #"{"value":"messages"}"#),
  Sample(Progress.Params.self, #"{"token":1.0,"value":{"kind":"text","offset":3,"delta":"d"}}"#),
  Sample(Progress.Params.self, #"{"token":"","value":{"kind":"text","text":"t"}}"#),
  Sample(Progress.Params.self, #"{"token":9007199254740993,"value":{"kind":"end"}}"#),
  Sample(TextDelta.self, #"{"kind":"text","offset":3,"delta":"d"}"#),
  Sample(TextSnapshot.self, #"{"kind":"text","text":"t"}"#),
  Sample(Progress.Params.self, #"{"token":"s","value":{"kind":"structured","value":null}}"#),
  Sample(StructuredSnapshot.self, #"{"kind":"structured","value":{"b":1.50,"a":[]}}"#),
  Sample(WorkDoneBegin.self, #"{"kind":"begin","title":"t","cancellable":true,"message":"m","percentage":0}"#),
  Sample(WorkDoneReport.self, #"{"kind":"report","message":"m","percentage":100}"#),
  Sample(WorkDoneEnd.self, #"{"kind":"end","message":"m"}"#),
  Sample(CommonParams.self, "{\(common)}"), Sample(GenerationOptions.self, options),
  Sample(CommonResult.self, "{\(outcome)}"),
  Sample(Usage.self, usage), Sample(Warning.self, warning), Sample(TextRange.self, #"{"start":0,"end":0}"#),
  Sample(Rephrase.Params.self, #"{"text":"a\u0000b","tone":"proofread","alternatives":5,\#(common)}"#),
  Sample(
    Rephrase.Result.self,
    #"{"text":"t","alternatives":["t","u"],"tone":"longer","edits":[{"start":0,"end":1,"newText":"t"}],\#(outcome)}"#),
  Sample(TextEdit.self, #"{"start":0,"end":1,"newText":"n"}"#), Sample(TextContext.self, context),
  Sample(
    Brainstorm.Params.self,
    #"{"topic":"t","kind":"storyArc","count":50,"schema":{"type":"string"},"format":"latex","tools":[\#(tool)],"#
      + #""toolChoice":"required",\#(common)}"#),
  Sample(Brainstorm.Result.self, #"{"kind":"tags","value":{"tags":["a"]},"rendered":"a","toolCalls":[],\#(outcome)}"#),
  Sample(
    Generate.Params.self,
    #"{"prompt":"p","schema":{"type":"null"},"includeSchemaInPrompt":false,"tools":[],"#
      + #""toolChoice":"auto",\#(common)}"#),
  Sample(Generate.Result.self, #"{"value":[1e2,"\u0000"],"toolCalls":[\#(record)],\#(outcome)}"#),
  Sample(Summarize.Params.self, #"{"text":"a\u0000b","style":"bullets","count":20,\#(common)}"#),
  Sample(
    Summarize.Result.self,
    #"{"text":"t","reduction":\#(reduction),"parts":2,"coverage":[{"start":0,"end":5},"#
      + #"{"start":5,"end":9}],\#(outcome)}"#),
  Sample(Reduction.self, reduction),
  Sample(Session.self, session), Sample(TranscriptEntry.self, entry),
  Sample(Chat.Params.self, #"{"message":"m","retry":false,"toolChoice":"none",\#(common)}"#),
  Sample(Chat.Result.self, #"{"text":"t","toolCalls":[\#(record)],\#(outcome)}"#),
  Sample(
    CustomCommand.Params.self,
    #"{"id":"i","text":"t","format":"org","tools":[\#(tool)],"toolChoice":"none",\#(common)}"#),
  Sample(
    CustomCommand.Result.self,
    #"{"id":"i","output":"insert","text":"t","value":[1.50],"edits":[{"start":0,"end":1,"newText":"n"}],"#
      + #""toolCalls":[\#(record)],\#(outcome)}"#),
  Sample(
    DidChangeConfiguration.Params.self,
    #"{"features":[\#(feature)],"tones":[\#(choice)],"personalities":[\#(choice)]}"#),
  Sample(ToolDefinition.self, tool, without: ["builtin"]),
  Sample(
    ToolDefinition.self, #"{"builtin":"catalogSearch","timeoutMs":10000,"confirm":false}"#,
    without: ["name", "description", "parameters"]),
  Sample(ToolCallRecord.self, record), Sample(ToolError.self, toolFailure),
  Sample(ToolError.Details.self, #"{"kind":"toolFailed","retryable":false,"name":"n","reason":"declined"}"#),
  Sample(ToolProgress.self, #"{"kind":"tool","callId":"c","name":"n","state":"failed"}"#),
  Sample(
    ToolCall.Params.self, #"{"sessionId":"s","callId":"c","name":"n","arguments":{"a":1.50},"confirm":true}"#),
  Sample(ToolCall.Result.self, #"{"content":"c"}"#),
  Sample(
    SessionCreate.Params.self,
    #"{"sessionId":"s","title":"t","instructions":"i","personality":"buzz","contextPolicy":"slidingWindow","#
      + #""maxTurns":1,"tools":[\#(tool)],"persist":true,"transcript":\#(transcript)}"#),
  Sample(SessionResult.self, #"{"session":\#(session),"warnings":[\#(warning)]}"#),
  Sample(SessionParams.self, #"{"sessionId":"s"}"#),
  Sample(SessionList.Result.self, #"{"sessions":[\#(session)]}"#),
  Sample(SessionGet.Result.self, #"{"session":\#(session),"transcript":\#(transcript)}"#),
  Sample(
    SessionUpdate.Params.self,
    #"{"sessionId":"s","title":"t","personality":"woody","instructions":"i","contextPolicy":"error","maxTurns":1,"#
      + #""tools":[],"keepHistory":true}"#),
  Sample(SessionFork.Params.self, #"{"sessionId":"s","turns":0}"#),
  Sample(SessionRewind.Params.self, #"{"sessionId":"s","turns":2}"#),
  Sample(SessionExport.Params.self, #"{"sessionId":"s","format":"json"}"#),
  Sample(SessionExport.Result.self, #"{"text":"t"}"#),
  Sample(SessionDidChange.Params.self, #"{"session":\#(session),"level":"critical"}"#),
  Sample(Prewarm.Params.self, #"{"method":"assistant/summarize","params":{"text":"t","other":1.50}}"#),
  Sample(Prewarm.Result.self, #"{"promptTokens":9,"cachedTokens":8}"#),
  Sample(CountTokens.Params.self, #"{"text":"","workDoneToken":"w"}"#),
  Sample(CountTokens.Result.self, #"{"tokens":0}"#),
  Sample(ModelStatus.Result.self, modelStatus),
  Sample(
    DaemonStatus.Result.self,
    #"{"version":"1","processId":2,"uptimeSeconds":3,"clients":[\#(connected)],"memory":\#(memory),"#
      + #""totals":\#(totals),"rates":\#(rates),"model":\#(modelStatus)}"#),
  Sample(ClientDescription.self, connected), Sample(MemoryDescription.self, memory), Sample(RequestTotals.self, totals),
  Sample(RequestRates.self, rates),
  Sample(
    ClientDescription.self,
    #"{"name":null,"version":null,"connectedSeconds":0,"requests":0,"activeRequests":0}"#),
  Sample(MemoryDescription.self, #"{"daemonBytes":null,"engineBytes":null}"#),
  Sample(RequestRates.self, #"{"requestsPerMinute":0,"completionTokensPerSecond":null}"#),
  Sample(Availability.self, availability), Sample(ModelDescription.self, model), Sample(EngineDescription.self, engine),
  Sample(
    EngineDescription.self,
    #"{"libllama":null,"threads":null,"devices":[],"sequences":0,"cachedTokens":0,"processId":null,"restarts":0}"#),
  Sample(ModelLoad.Params.self, #"{"path":"/a b/ü.gguf","force":true,"workDoneToken":7}"#),
  Sample(ModelLoad.Result.self, #"{"model":\#(model)}"#),
  Sample(ModelDidChangeAvailability.Params.self, #"{"availability":\#(availability)}"#),
]

private let modelStatus =
  #"{"availability":\#(availability),"model":\#(model),"engine":\#(engine),"thermalState":"critical","sessions":1,"#
  + #""activeRequests":2,"queuedRequests":3,"uptimeSeconds":4}"#
private let connected =
  #"{"name":"vim","version":"9","connectedSeconds":1,"requests":2,"activeRequests":3}"#
private let memory = #"{"daemonBytes":1,"engineBytes":2}"#
private let totals =
  #"{"requests":1,"failedRequests":2,"promptTokens":3,"cachedTokens":4,"completionTokens":5}"#
private let rates = #"{"requestsPerMinute":1.5,"completionTokensPerSecond":2.5}"#

private let sampling =
  #"{"temperature":0.5,"topK":40,"topP":0.9,"minP":0.1,"seed":4294967295,"repetitionPenalty":1.1}"#
private let shape = #"{"unit":"headline","count":1}"#
private let promptMessage = #"{"role":"system","text":"<|im_end|>"}"#
private let facts =
  #"{"name":"n","path":"p","architecture":"a","parameterCount":1,"quantization":"q","sizeBytes":2,"contextSize":3,"#
  + #""trainedContext":4,"chatTemplate":"c","chatTemplateWarning":"w","license":"l","libllama":"v","#
  + #""threads":5,"devices":["CPU"],"flashAttention":"on"}"#

private let engineSamples = [
  Sample(EngineHello.Params.self, #"{"buildId":"b","processId":1}"#),
  Sample(
    EngineLoad.Params.self,
    #"{"path":"p","contextSize":1,"threads":2,"reproducible":true,"reusesPrefixes":false,"#
      + #""drafts":false,"prefixFolder":"f"}"#),
  Sample(EngineNotice.Params.self, #"{"message":"m"}"#),
  Sample(ModelFacts.self, facts), Sample(EngineLoadProgress.Params.self, #"{"fraction":0.25}"#),
  Sample(EngineText.Params.self, #"{"request":1,"text":"👩‍👩‍👧"}"#),
  Sample(EnginePrefillProgress.Params.self, #"{"request":1,"done":2,"total":3}"#),
  Sample(EngineHeartbeat.Params.self, #"{"steps":1,"stepMilliseconds":2.5}"#),
  Sample(EnginePause.Params.self, #"{"request":1,"paused":true}"#),
  Sample(EngineFinish.Params.self, #"{"request":1}"#), Sample(EngineCount.Params.self, #"{"text":"t"}"#),
  Sample(EngineCount.Result.self, #"{"tokens":1}"#),
  Sample(EngineStatus.Result.self, #"{"sequences":1,"cachedTokens":2,"active":3,"waiting":4}"#),
  Sample(PromptMessage.self, promptMessage), Sample(Sampling.self, sampling),
  Sample(
    GenerateParams.self,
    #"{"request":1,"messages":[\#(promptMessage)],"pinnedMessages":1,"builtInMessages":1,"answerPrefix":"a","#
      + #""sampling":\#(sampling),"#
      + #""maxTokens":2,"stop":["s"],"priority":"background","reasoning":true,"schema":{"type":"null"},"#
      + #""shape":\#(shape),"prefillOnly":true,"isConversation":true,"leastRoom":3}"#),
  Sample(TextShape.self, shape), Sample(EngineStructured.Params.self, #"{"request":1,"value":[1.50]}"#),
  Sample(
    GenerateResult.self,
    #"{"finishReason":"length","promptTokens":1,"cachedTokens":2,"completionTokens":3,"contextUsed":4,"contextSize":5,"#
      + #""timeToFirstTokenMs":6.5,"durationMs":7.5,"repeated":true,"cutShort":true,"logProbability":-1.5}"#),
]

@Suite struct RoundTripTests {
  @Test(arguments: editorSamples + engineSamples)
  fileprivate func everyFieldComesBack(_ sample: Sample) throws {
    try check(sample.type, sample.text, without: sample.absent)
  }

  @Test func everyMessageHasASample() {
    let sampled = Set(editorSamples.map { ObjectIdentifier($0.type) })
    for type in GeneratedBlocks.types { #expect(sampled.contains(ObjectIdentifier(type)), "\(type)") }
    for entry in MethodList.all {
      for type in [entry.params, entry.result] {
        if let message = type as? any JSONMessage.Type {
          #expect(sampled.contains(ObjectIdentifier(message)), "\(entry.name): \(message)")
        }
      }
    }
  }
}
