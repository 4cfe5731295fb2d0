/// Swift source with comments and string literals blanked, so that a rule about code does not trip over prose.
/// Lines and columns stay where they are; code inside interpolations stays too. Regex literals are taken as code.
func codeAlone(_ source: String) -> String {
  var blanker = Blanker(source: Array(source.utf8))
  blanker.code()
  return String(decoding: blanker.output, as: UTF8.self)
}

private struct Blanker {
  let source: [UInt8]
  var output: [UInt8]
  var position = 0

  init(source: [UInt8]) {
    self.source = source
    output = source
  }

  /// Passes over code, to the end or to the bracket that closes an interpolation.
  mutating func code(insideInterpolation: Bool = false) {
    var depth = 0
    while position < source.count {
      if starts("//") {
        while position < source.count, source[position] != UInt8(ascii: "\n") { blank() }
      } else if starts("/*") {
        comment()
      } else if let hashes = hashesBeforeQuote() {
        literal(hashes: hashes)
      } else {
        let byte = source[position]
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") {
          if insideInterpolation, depth == 0 { return }
          depth -= 1
        }
        position += 1
      }
    }
  }

  /// A block comment, which may hold others.
  private mutating func comment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        blank(2)
      } else if starts("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && position < source.count
  }

  /// The number of `#` before the quote that opens a literal here; nil where none opens.
  private func hashesBeforeQuote() -> Int? {
    var end = position
    while end < source.count, source[end] == UInt8(ascii: "#") { end += 1 }
    return end < source.count && source[end] == UInt8(ascii: "\"") ? end - position : nil
  }

  private mutating func literal(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    position += hashes
    let isMultiline = starts("\"\"\"")
    let quote = isMultiline ? "\"\"\"" : "\""
    position += quote.utf8.count
    while position < source.count {
      if starts("\\" + fence + "(") {
        position += hashes + 2
        code(insideInterpolation: true)
        position += 1
      } else if starts("\\" + fence) {
        blank(hashes + 2)
      } else if starts(quote + fence) {
        position += quote.utf8.count + hashes
        return
      } else if !isMultiline, source[position] == UInt8(ascii: "\n") {
        return
      } else {
        blank()
      }
    }
  }

  private func starts(_ text: String) -> Bool { source[position...].starts(with: text.utf8) }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where position < source.count {
      if source[position] != UInt8(ascii: "\n") { output[position] = UInt8(ascii: " ") }
      position += 1
    }
  }
}
