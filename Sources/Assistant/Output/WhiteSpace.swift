extension Unicode.Scalar {
  /// Has the property White_Space of Unicode.
  var isWhitespace: Bool { properties.isWhitespace }
}

extension String {
  /// Nothing, or nothing but white space.
  var isBlank: Bool { unicodeScalars.allSatisfy(\.isWhitespace) }

  /// Nothing that anybody sees: a model would only make something up for it.
  var isInvisible: Bool { unicodeScalars.allSatisfy { $0.isWhitespace || SuspiciousCharacters.isSuspicious($0) } }

  /// With each run of white space as one space and none at the ends.
  var spaceFolded: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

extension Substring {
  /// Without white space at its end.
  var trimmedEnd: Substring {
    let end = unicodeScalars.lastIndex { !$0.isWhitespace }.map { unicodeScalars.index(after: $0) } ?? startIndex
    return self[..<end]
  }

  /// Without white space at its start.
  var trimmedStart: Substring {
    self[(unicodeScalars.firstIndex { !$0.isWhitespace } ?? endIndex)...]
  }

  /// Where the mark begins, without what is white before it.
  func range(ofMark mark: String) -> String.Index? {
    guard let found = firstRange(of: mark) else { return nil }
    return self[..<found.lowerBound].trimmedEnd.endIndex
  }
}
