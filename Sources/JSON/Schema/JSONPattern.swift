/// A regular expression of the keyword `pattern`: a subset of ECMA-262's, with its meaning. As JSON Schema says, a
/// string matches when the expression is found anywhere in it, unless `^` and `$` tie it to the string's ends.
///
/// In the subset: literal characters; `.` (any scalar but U+000A, U+000D, U+2028, U+2029); classes `[a-z]`, `[^…]`; `\d
/// \D \w \W \s \S` (digits and word characters are those of ASCII); `\n \r \t \f \v \0 \xHH \uHHHH \u{H…}` and any
/// escaped punctuation; groups `(…)`, `(?:…)`; `|`; `* + ? {n} {n,} {n,m}`, lazy ones too (they mean the same here);
/// `^` at the beginning and `$` at the end of the expression, of one of its alternatives or of a group there.
/// Everything else is refused: back references, look-around, word borders, `\p{…}`, flags.
///
/// Matching takes time linear in the string: never more than its length times the expression's size.
public struct JSONPattern: Sendable {
  /// The strings that match, as a regular language over scalars.
  public indirect enum Node: Sendable, Hashable {
    /// The empty string.
    case empty
    /// Any one scalar: what surrounds an expression that is not tied to the ends.
    case anyScalar
    case set(ScalarSet)
    case sequence([Node])
    case choice([Node])
    case repeated(Node, minimum: Int, maximum: Int?)
  }

  /// The expression's text.
  public let text: String
  /// What whole strings are: with the expression's surroundings, without anchors.
  public let language: Node
  let matcher: PatternMatcher

  /// - Throws: `PatternError` for what is not in the subset, is no expression, or is too large.
  public init(_ text: String) throws(PatternError) {
    self.text = text
    var parser = PatternParser(text)
    language = try parser.parse()
    matcher = try PatternMatcher(language)
  }

  /// Whether the string matches.
  public func matches(_ string: String) -> Bool { matcher.matches(string) }

  /// The length in scalars of the shortest string that matches; nil when none does.
  public var minimumLength: Int? { language.minimumLength }

  /// The length of the longest; nil when there is no longest.
  public var maximumLength: Int? { language.maximumLength }
}

/// An expression is not in the subset of `JSONPattern`.
public struct PatternError: Error, Equatable {
  /// What is wrong, as the end of a sentence that begins with “the pattern”.
  public var problem: String

  public init(problem: String) { self.problem = problem }
}

extension JSONPattern.Node {
  package var minimumLength: Int? {
    switch self {
    case .empty: return 0
    case .anyScalar: return 1
    case .set(let set): return set.isEmpty ? nil : 1
    case .sequence(let nodes):
      return nodes.reduce(0 as Int?) { sum, node in
        guard let sum, let length = node.minimumLength else { return nil }
        return sum + length
      }
    case .choice(let nodes): return nodes.compactMap(\.minimumLength).min()
    case .repeated(let node, let minimum, _):
      if minimum == 0 { return 0 }
      return node.minimumLength.map { $0 * minimum }
    }
  }

  package var maximumLength: Int? {
    switch self {
    case .empty: return 0
    case .anyScalar, .set: return 1
    case .sequence(let nodes):
      return nodes.reduce(0 as Int?) { sum, node in
        guard let sum, let length = node.maximumLength else { return nil }
        return sum + length
      }
    case .choice(let nodes):
      let lengths = nodes.map(\.maximumLength)
      return lengths.contains(nil) ? nil : lengths.compactMap(\.self).max()
    case .repeated(let node, _, let maximum):
      guard let length = node.maximumLength else { return nil }
      if length == 0 { return 0 }
      return maximum.map { $0 * length }
    }
  }
}
