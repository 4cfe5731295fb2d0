import AssistantProtocol
import EngineProtocol

/// What the engine says of itself, in the words of the client's protocol.
extension ModelDescription {
  init(_ facts: ModelFacts, sourcePath: String) {
    self.init()
    name = facts.name
    path = facts.path
    self.sourcePath = sourcePath
    architecture = facts.architecture
    parameterCount = facts.parameterCount
    quantization = facts.quantization
    sizeBytes = facts.sizeBytes
    contextSize = facts.contextSize
    trainedContext = facts.trainedContext
    chatTemplate = facts.chatTemplate
    license = facts.license
  }
}

extension EngineDescription {
  init(_ report: EngineReport) {
    self.init()
    libllama = report.model?.libllama
    threads = report.model?.threads
    devices = report.model?.devices ?? []
    sequences = report.sequences
    cachedTokens = report.cachedTokens
    processID = report.processID
    restarts = report.restarts
  }
}
