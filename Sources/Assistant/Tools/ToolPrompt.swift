import AssistantProtocol
import EngineProtocol
import JSON

/// What the model reads of tools and their results. All of it stands behind what was asked, so that in a chat the
/// prompt begins the same with and without it.
enum ToolPrompt {
  /// The conversation with something behind its last message.
  static func asked(_ messages: [PromptMessage], _ more: String) -> [PromptMessage] {
    guard var last = messages.last, !more.isEmpty else { return messages }
    last.text += "\n\n" + more
    return messages.dropLast() + [last]
  }

  static func question(_ tools: [Tool], mayAnswer: Bool) -> String {
    var lines = tools.map { "- \($0.name): \($0.description)" }
    if mayAnswer { lines.append("- \(ToolDefinition.noTool): No tool is needed.") }
    return "Tools:\n" + lines.joined(separator: "\n") + "\nWhich tool helps to answer? Reply with its name."
  }

  static func arguments(of tool: Tool) -> String {
    "You use the tool \(tool.name): \(tool.description) Reply with its arguments in JSON of this schema:\n"
      + JSONWriter.text(of: tool.schema.source)
  }

  /// What the tools have said, as entries of the transcript; empty when none was called.
  static func results(_ entries: [TranscriptEntry]) -> String {
    var lines: [String] = []
    for entry in entries {
      switch entry.role {
      case .toolCall: lines.append("\(entry.name ?? "")(\(entry.words)):")
      case .toolOutput: lines.append(entry.words)
      case .instructions, .prompt, .response: break
      }
    }
    return lines.isEmpty ? "" : "What tools say:\n" + lines.joined(separator: "\n")
  }
}

extension ToolCallRecord {
  /// As the transcript keeps it.
  func entries(at time: String) -> [TranscriptEntry] {
    var call = TranscriptEntry()
    call.role = .toolCall
    call.callID = callID
    call.name = name
    call.arguments = arguments
    call.at = time
    var output = TranscriptEntry()
    output.role = .toolOutput
    output.callID = callID
    output.text = result
    output.error = error?.message
    output.at = time
    return [call, output]
  }
}
