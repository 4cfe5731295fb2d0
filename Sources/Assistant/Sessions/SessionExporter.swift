import AssistantProtocol
import JSON

/// Writes a session down for people, or for another daemon.
enum SessionExporter {
  static func text(
    _ session: Session, _ transcript: Transcript, _ tools: [ToolDefinition], format: SessionExport.Format
  ) -> String {
    switch format {
    case .markdown: markdown(session, transcript)
    case .json: json(session, transcript, tools)
    }
  }

  /// The parameters of a `session/create`, without the name, which is taken.
  private static func json(_ session: Session, _ transcript: Transcript, _ tools: [ToolDefinition]) -> String {
    var params = SessionCreate.Params()
    params.title = session.title
    params.instructions = session.instructions
    params.personality = session.personality
    params.contextPolicy = session.contextPolicy
    params.maxTurns = session.maxTurns
    params.persist = session.persisted
    params.tools = tools
    params.transcript = transcript
    return JSONWriter.text(of: params.json) + "\n"
  }

  /// Characters and stories are sections of their own, as in a pitch deck; all else is told as it was said.
  private static func markdown(_ session: Session, _ transcript: Transcript) -> String {
    var blocks = ["# " + escaped(session.title.isBlank ? "Session \(session.sessionID.text)" : session.title)]
    if !session.instructions.isBlank { blocks.append("*Instructions:* " + escaped(session.instructions.spaceFolded)) }
    if let summary = transcript.summary { blocks.append("*What was said before, in short:* " + summary.words.trimmed) }
    for turn in transcript.turns {
      if let section = section(turn.response) {
        blocks.append(section)
      } else {
        blocks.append("**You**")
        blocks.append(quoted(turn.prompt.words))
        blocks.append("**Inkling**")
        let isJSON = turn.response.value != nil && turn.response.feature == Generate.name
        blocks.append(isJSON ? fenced(turn.response.words) : closed(turn.response.words.trimmed))
      }
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// The section of something that was made up; nil when it is no such thing, or not of the shape of its kind.
  private static func section(_ response: TranscriptEntry) -> String? {
    guard let kind = response.kind, let value = response.value else { return nil }
    let outline: Outline
    do throws(JSONMismatch) { outline = try kind.shape(count: 1).outline(value) } catch { return nil }
    let name = value["name"] ?? value["movieTitle"] ?? value["suggestedTitle"]
    var heading = "## " + kind.choice.title
    if case .string(let text)? = name, !text.isBlank { heading += ": " + escaped(text.spaceFolded) }
    return heading + "\n\n" + OutlineRenderer(.markdown).render(outline).trimmed
  }

  private static func quoted(_ text: String) -> String {
    text.trimmed.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { $0.isEmpty ? ">" : "> " + $0 }.joined(separator: "\n")
  }

  /// An answer that was cut off inside a fence must not take what follows it with it.
  private static func closed(_ text: String) -> String {
    var open: Substring?
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for line in lines {
      let body = line.trimmedStart
      guard let mark = body.first, mark == "`" || mark == "~" else { continue }
      let fence = body.prefix { $0 == mark }
      guard fence.count >= 3 else { continue }
      if let begun = open {
        if begun.first == mark, fence.count >= begun.count, body.dropFirst(fence.count).allSatisfy(\.isWhitespace) {
          open = nil
        }
      } else {
        open = fence
      }
    }
    return lines.joined(separator: "\n") + (open.map { "\n" + $0 } ?? "")
  }

  /// With a fence that is longer than any in the text.
  private static func fenced(_ text: String) -> String {
    var (longest, run) = (2, 0)
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return fence + "json\n" + text.trimmed + "\n" + fence
  }

  private static func escaped(_ text: String) -> String { Markup(.markdown).escape(text.spaceFolded, atStart: false) }
}
