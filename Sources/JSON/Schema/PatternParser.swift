/// Reads the text of a `JSONPattern`.
struct PatternParser {
  private static let maxRepeats = 1_000
  private static let maxDepth = 32

  /// The expression as it is written; anchors are still parts of it.
  private indirect enum Term {
    case start, end
    case set(ScalarSet)
    case sequence([Term])
    case choice([Term])
    case repeated(Term, minimum: Int, maximum: Int?)
  }

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func parse() throws(PatternError) -> JSONPattern.Node {
    let term = try choice()
    if index < scalars.count { throw error("has a “)” without its “(”") }
    return try Self.language(of: term, isFirst: true, isLast: true)
  }

  private func error(_ problem: String) -> PatternError { PatternError(problem: problem) }

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  // MARK: - The grammar of ECMA-262, section 22.2.1, as far as it goes

  private mutating func choice() throws(PatternError) -> Term {
    var alternatives = [try sequence()]
    while take("|") { alternatives.append(try sequence()) }
    return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
  }

  private mutating func sequence() throws(PatternError) -> Term {
    var terms: [Term] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let term = try atom()
      terms.append(try repeated(term))
    }
    return .sequence(terms)
  }

  private mutating func atom() throws(PatternError) -> Term {
    let scalar = scalars[index]
    index += 1
    switch scalar {
    case "^": return .start
    case "$": return .end
    case ".": return .set(ScalarSet("\n\r\u{2028}\u{2029}").inverted)
    case "(": return try group()
    case "[": return .set(try characterClass())
    case "\\": return .set(try escape(inClass: false))
    case "*", "+", "?": throw error("repeats nothing at “\(scalar)”")
    case "{", "}", "]": throw error("has a “\(scalar)” that must be escaped")
    case _: return .set(ScalarSet([scalar.value...scalar.value]))
    }
  }

  private mutating func group() throws(PatternError) -> Term {
    depth += 1
    defer { depth -= 1 }
    if depth > Self.maxDepth { throw error("has groups more than \(Self.maxDepth) deep") }
    if take("?"), !take(":") { throw error("has a group that begins with “(?”; only “(?:” is supported") }
    let term = try choice()
    if !take(")") { throw error("has a “(” without its “)”") }
    return term
  }

  private mutating func repeated(_ term: Term) throws(PatternError) -> Term {
    var minimum = 0
    var maximum: Int?
    switch next {
    case "*": index += 1
    case "+": (minimum, index) = (1, index + 1)
    case "?": (maximum, index) = (1, index + 1)
    case "{":
      index += 1
      guard let lower = try number() else { throw error("has a “{” that must be escaped") }
      minimum = lower
      if take(",") { maximum = try number() } else { maximum = lower }
      if !take("}") { throw error("has a “{” without its “}”") }
      if let maximum, maximum < minimum { throw error("repeats between \(minimum) and \(maximum) times") }
    case _: return term
    }
    // A lazy repetition matches the same strings.
    _ = take("?")
    switch term {
    case .start, .end: throw error("repeats an anchor")
    case .set, .sequence, .choice, .repeated: break
    }
    if let scalar = next, "*+?{".unicodeScalars.contains(scalar) { throw error("repeats a repetition") }
    return .repeated(term, minimum: minimum, maximum: maximum)
  }

  private mutating func number() throws(PatternError) -> Int? {
    var value: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      value = (value ?? 0) * 10 + Int(scalar.value - 0x30)
      if let value, value > Self.maxRepeats { throw error("repeats more than \(Self.maxRepeats) times") }
      index += 1
    }
    return value
  }

  // MARK: - Classes and escapes

  private mutating func characterClass() throws(PatternError) -> ScalarSet {
    let isNegated = take("^")
    var ranges: [ClosedRange<UInt32>] = []
    while !take("]") {
      let lower = try classMember()
      guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
        ranges += lower.ranges
        continue
      }
      index += 1
      let upper = try classMember()
      guard let first = Self.single(lower), let last = Self.single(upper) else {
        throw error("has a range between classes")
      }
      if last < first { throw error("has a range whose end is before its start") }
      ranges.append(first...last)
    }
    let set = ScalarSet(ranges)
    return isNegated ? set.inverted : set
  }

  private mutating func classMember() throws(PatternError) -> ScalarSet {
    guard let scalar = next else { throw error("has a “[” without its “]”") }
    index += 1
    return scalar == "\\" ? try escape(inClass: true) : ScalarSet([scalar.value...scalar.value])
  }

  private static func single(_ set: ScalarSet) -> UInt32? {
    set.ranges.count == 1 && set.ranges[0].count == 1 ? set.ranges[0].lowerBound : nil
  }

  private static let digits = ScalarSet([0x30...0x39])
  private static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  private static let space = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])

  private mutating func escape(inClass: Bool) throws(PatternError) -> ScalarSet {
    guard let scalar = next else { throw error("ends with “\\”") }
    index += 1
    switch scalar {
    case "d": return Self.digits
    case "D": return Self.digits.inverted
    case "w": return Self.word
    case "W": return Self.word.inverted
    case "s": return Self.space
    case "S": return Self.space.inverted
    case "n": return ScalarSet("\n")
    case "r": return ScalarSet("\r")
    case "t": return ScalarSet("\t")
    case "f": return ScalarSet("\u{C}")
    case "v": return ScalarSet("\u{B}")
    case "b" where inClass: return ScalarSet("\u{8}")
    case "0":
      if let digit = next, ("0"..."9").contains(digit) { throw error("has the escape “\\0” before a digit") }
      return ScalarSet("\u{0}")
    case "x": return try hexadecimal(digits: 2)
    case "u":
      guard take("{") else { return try hexadecimal(digits: 4) }
      let set = try hexadecimal(digits: nil)
      if !take("}") { throw error("has a “\\u{” without its “}”") }
      return set
    case _:
      let isPunctuation = scalar.isASCII && scalar.value > 0x20 && !Self.word.contains(scalar)
      guard isPunctuation else { throw error("has the escape “\\\(scalar)”, which is not supported") }
      return ScalarSet([scalar.value...scalar.value])
    }
  }

  /// So many digits, or up to six.
  private mutating func hexadecimal(digits: Int?) throws(PatternError) -> ScalarSet {
    var value: UInt32 = 0
    var count = 0
    while count < digits ?? 6, let digit = next.flatMap({ Character($0).hexDigitValue }), next?.isASCII == true {
      value = value * 16 + UInt32(digit)
      count += 1
      index += 1
    }
    guard count == digits ?? max(1, count), let scalar = Unicode.Scalar(value) else {
      throw error("has an escape that names no character")
    }
    return ScalarSet([scalar.value...scalar.value])
  }

  // MARK: - Anchors

  /// The strings that a term at the expression's edges stands for: what may be before or after it is free unless an
  /// anchor says otherwise.
  private static func language(
    of term: Term, isFirst: Bool, isLast: Bool
  ) throws(PatternError) -> JSONPattern.Node {
    let anything = JSONPattern.Node.repeated(.anyScalar, minimum: 0, maximum: nil)
    switch term {
    case .start:
      if !isFirst { throw PatternError(problem: "has “^” behind something else") }
      return isLast ? anything : .empty
    case .end:
      if !isLast { throw PatternError(problem: "has “$” before something else") }
      return isFirst ? anything : .empty
    case .set(let set): return surrounded(.set(set), isFirst, isLast)
    case .repeated(let inner, let minimum, let maximum):
      let node = try language(of: inner, isFirst: false, isLast: false)
      return surrounded(.repeated(node, minimum: minimum, maximum: maximum), isFirst, isLast)
    case .choice(let terms):
      var nodes: [JSONPattern.Node] = []
      for term in terms { nodes.append(try language(of: term, isFirst: isFirst, isLast: isLast)) }
      return .choice(nodes)
    case .sequence(let terms):
      if terms.isEmpty { return surrounded(.empty, isFirst, isLast) }
      var nodes: [JSONPattern.Node] = []
      for (index, term) in terms.enumerated() {
        // Behind an anchor at the start nothing is first any more; `^^` is not worth more.
        let first = isFirst && index == 0
        let last = isLast && index == terms.count - 1
        nodes.append(try language(of: term, isFirst: first, isLast: last))
      }
      return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }
  }

  private static func surrounded(_ node: JSONPattern.Node, _ isFirst: Bool, _ isLast: Bool) -> JSONPattern.Node {
    if !isFirst, !isLast { return node }
    let anything = JSONPattern.Node.repeated(.anyScalar, minimum: 0, maximum: nil)
    return .sequence((isFirst ? [anything] : []) + [node] + (isLast ? [anything] : []))
  }
}
