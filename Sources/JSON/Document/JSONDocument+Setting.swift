extension JSONDocument {
  /// The document's text with a member of its outermost object set. Every other byte stays as it is: comments, order,
  /// white space, and what a program does not know. A member that is new comes first, on a line of its own when the
  /// others have theirs.
  ///
  /// - Throws: when the document is no object.
  public func setting(_ name: String, to value: JSONValue) throws(JSONDocumentError) -> [UInt8] {
    guard case .object(let object) = self.value, let start = marks.values[""] else {
      throw JSONDocumentError(message: "it is \(self.value.typeName), not an object", position: position(of: ""))
    }
    var bytes = text.bytes
    let written = JSONWriter.bytes(of: value)
    let pointer = "/" + name.jsonPointerToken
    if let begin = marks.values[pointer], let end = marks.valueEnds[pointer] {
      bytes.replaceSubrange(begin..<end, with: written)
      return bytes
    }
    let member = JSONWriter.bytes(of: .string(name)) + Array(": ".utf8) + written
    if let lineEnd = lineEnd(after: start + 1) {
      let isWindows = bytes[lineEnd...].starts(with: [UInt8(ascii: "\r")])
      let comma = object.isEmpty ? [] : [UInt8(ascii: ",")]
      bytes.insert(contentsOf: Array((isWindows ? "\r\n" : "\n").utf8) + indent + member + comma, at: lineEnd)
    } else {
      bytes.insert(contentsOf: member + (object.isEmpty ? [] : Array(", ".utf8)), at: start + 1)
    }
    return bytes
  }

  /// The end of the line, when nothing but a comment stands between it and that place.
  private func lineEnd(after place: Int) -> Int? {
    let end = text.bytes[place...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard let end else { return nil }
    let rest = text.bytes[place..<end].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return rest.isEmpty || rest.starts(with: "//".utf8) ? end : nil
  }

  /// What stands before the first member on its line; two spaces when it has none of its own.
  private var indent: [UInt8] {
    let bytes = text.bytes
    guard let first = marks.names.values.min() else { return Array("  ".utf8) }
    let lineStart = bytes[..<first].lastIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { $0 + 1 }
    let before = bytes[(lineStart ?? 0)..<first]
    let isBlank = before.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return isBlank ? Array(before) : Array("  ".utf8)
  }
}
