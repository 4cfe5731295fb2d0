/// Walks through earlier messages. What has been typed is kept, and so is what is changed in an earlier one.
struct Recall: Sendable {
  let history: [String]
  /// Texts that were changed on the way; the last is the draft.
  private var changed: [Int: String] = [:]
  private var place: Int

  init(_ history: [String]) {
    self.history = history
    place = history.count
  }

  mutating func earlier(than text: String) -> String? { go(to: place - 1, from: text) }
  mutating func later(than text: String) -> String? { go(to: place + 1, from: text) }

  mutating func leave() {
    changed = [:]
    place = history.count
  }

  private mutating func go(to target: Int, from text: String) -> String? {
    guard (0...history.count).contains(target) else { return nil }
    changed[place] = text
    place = target
    return changed[target] ?? history[target]
  }
}

/// Ctrl-R: looks for an earlier message while a part of it is typed.
struct Search: Sendable {
  private let history: [String]
  private(set) var query = ""
  /// Where in the history; its end before anything is found.
  private var place: Int
  private(set) var hasFailed = false

  init(in recall: Recall) {
    history = recall.history
    place = history.count
  }

  var found: String? { history.indices.contains(place) ? history[place] : nil }

  mutating func extend(_ text: String) {
    query += text
    look(from: min(place, history.count - 1))
  }

  mutating func shorten() {
    query = String(query.dropLast())
    look(from: history.count - 1)
  }

  mutating func findEarlier() { look(from: place - 1) }

  private mutating func look(from start: Int) {
    let found = query.isEmpty ? nil : history.prefix(max(0, start + 1)).lastIndex { $0.contains(query) }
    hasFailed = !query.isEmpty && found == nil
    if let found { place = found }
  }
}

extension LineEditor {
  /// nil: the search is over, and the key is for the text that was found.
  mutating func handleSearch(_ key: Key) -> Outcome? {
    switch key {
    case .text(let text): search?.extend(text)
    case .paste(let text): search?.extend(text.split(separator: "\n").first.map(String.init) ?? "")
    case .backspace: search?.shorten()
    case .control("r"): search?.findEarlier()
    case .control("g"), .control("c"): search = nil
    case .control, .alt, .enter, .lineFeed, .tab, .delete, .escape, .left, .right, .up, .down, .home, .end, .wordLeft,
      .wordRight:
      if let found = search?.found { replace(with: found) }
      search = nil
      return key == .escape ? .changed : nil
    }
    return .changed
  }
}
