import AssistantProtocol

/// Puts the partial results of a text together as a client does; nil when an offset lies where nothing was sent, or
/// a result is no text.
func assembled(_ partials: [PartialResult], _ encoding: PositionEncoding) -> String? {
  var shown = ""
  for partial in partials {
    switch partial {
    case .delta(let delta):
      guard let kept = encoding.prefix(of: shown, length: delta.offset) else { return nil }
      shown = String(kept) + delta.delta
    case .snapshot(let snapshot): shown = snapshot.text
    case .structured, .tool: return nil
    }
  }
  return shown
}
