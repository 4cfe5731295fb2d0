extension String {
  /// The same for two texts that a person would not call different: they differ at most in case, in spaces and in the
  /// full stop at the end.
  var repetitionKey: String {
    var key = String.UnicodeScalarView()
    for scalar in lowercased().unicodeScalars where !scalar.isWhitespace { key.append(scalar) }
    while let last = key.last, ".!…。！".unicodeScalars.contains(last) { key.removeLast() }
    return String(key)
  }
}

/// Tells which of the texts that come one after the other say something new.
struct Repetition {
  private var keys: Set<String> = []

  /// Whether the text is unlike all before.
  /// - Parameter isOpen: the text may go on, and is not remembered: while it may still become one of those before it is
  ///   not new.
  mutating func isNew(_ text: String, isOpen: Bool) -> Bool {
    let key = text.repetitionKey
    return isOpen ? !keys.contains { $0.hasPrefix(key) } : keys.insert(key).inserted
  }
}
