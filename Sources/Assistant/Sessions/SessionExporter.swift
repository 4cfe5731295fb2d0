import AssistantProtocol
import JSON

/// Writes a session down for people, or for another daemon.
enum SessionExporter {
  static func text(_ session: Session, _ transcript: Transcript, format: SessionExport.Format) -> String {
    switch format {
    case .markdown: markdown(session, transcript)
    case .json: json(session, transcript)
    }
  }

  /// The parameters of a `session/create`, without the name, which is taken.
  private static func json(_ session: Session, _ transcript: Transcript) -> String {
    var params = SessionCreate.Params()
    params.title = session.title
    params.instructions = session.instructions
    params.personality = session.personality
    params.contextPolicy = session.contextPolicy
    params.maxTurns = session.maxTurns
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
        blocks.append(turn.response.value == nil ? turn.response.words.trimmed : fenced(turn.response.words))
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

  private static func fenced(_ text: String) -> String { "```json\n" + text.trimmed + "\n```" }

  private static func escaped(_ text: String) -> String { Markup(.markdown).escape(text.spaceFolded, atStart: false) }
}
