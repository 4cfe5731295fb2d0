/// JSON as people write it in a file that a program reads: with `//` and `/* */` comments and with a comma before a
/// closing bracket. Knows where everything stands, so that what is wrong with a value can be shown in the text.
public struct JSONDocument: Sendable {
  public let value: JSONValue
  /// Where values and names begin, by JSON pointer (RFC 6901).
  let marks: JSONMarks
  let text: JSONTextLines

  /// - Throws: `JSONDocumentError` for what is not JSON besides the comments and those commas.
  public init(_ bytes: [UInt8], maxDepth: Int = JSONParser.defaultMaxDepth) throws(JSONDocumentError) {
    text = JSONTextLines(bytes)
    do throws(JSONParseError) {
      let plain = try JSONCommentRemover.plain(bytes)
      value = try JSONParser.parse(plain, maxDepth: maxDepth)
      marks = JSONMarks(plain)
    } catch {
      throw JSONDocumentError(message: error.message, position: text.position(of: error.offset))
    }
  }

  /// Where the value begins that a pointer leads to; where the nearest value around it begins when there is none.
  public func position(of pointer: String) -> JSONPosition {
    var pointer = pointer[...]
    while true {
      if let offset = marks.values[String(pointer)] { return text.position(of: offset) }
      guard let slash = pointer.lastIndex(of: "/") else { return text.position(of: 0) }
      pointer = pointer[..<slash]
    }
  }

  /// Where the name of the member begins that a pointer leads to; that of the value when it is no member.
  public func namePosition(of pointer: String) -> JSONPosition {
    marks.names[pointer].map(text.position(of:)) ?? position(of: pointer)
  }

  /// The members that stand after another of the same name: their pointers, and where their names begin.
  public var repeatedNames: some Sequence<(pointer: String, position: JSONPosition)> {
    // To find a place takes a walk through the text.
    marks.repeated.lazy.map { ($0.pointer, text.position(of: $0.offset)) }
  }
}

/// A place in a text, as editors show it.
public struct JSONPosition: Sendable, Equatable {
  /// From 1 on.
  public var line: Int
  /// In Unicode scalars, from 1 on.
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// A text is not JSON, not even with comments.
public struct JSONDocumentError: Error, Equatable {
  /// What was wrong, in a few words: `a comma or “]” must follow`.
  public var message: String
  public var position: JSONPosition

  public init(message: String, position: JSONPosition) {
    self.message = message
    self.position = position
  }
}

extension String {
  /// A name as a token of a JSON pointer (RFC 6901, section 3).
  public var jsonPointerToken: String { SchemaParser.escaped(self) }
}

/// Finds lines and columns of a text. A byte order mark takes no column.
struct JSONTextLines: Sendable {
  let bytes: [UInt8]
  private let start: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  func position(of offset: Int) -> JSONPosition {
    var position = JSONPosition(line: 1, column: 1)
    for byte in bytes[min(start, offset)..<min(offset, bytes.count)] {
      if byte == UInt8(ascii: "\n") {
        position.line += 1
        position.column = 1
      } else if byte & 0xC0 != 0x80 {
        position.column += 1
      }
    }
    return position
  }
}
