/// The headers of an answer, with those of the redirections before it.
struct RemoteHeaders {
  private var fields: [(name: String, value: String)] = []
  /// The fields of the last answer begin there.
  private var last = 0

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("HTTP/") { last = fields.count }
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
      fields.append((line[..<colon].lowercased(), String(value)))
    }
  }

  var size: Int? {
    let linked = fields.last { $0.name == "x-linked-size" }?.value
    return (linked ?? fields[last...].last { $0.name == "content-length" }?.value).flatMap { Int($0) }
  }

  /// What changes when the file does.
  var validator: String? {
    for name in ["x-linked-etag", "etag", "last-modified"] {
      // What a redirection says of itself counts only where it speaks of what it leads to.
      let places = name == "x-linked-etag" ? fields[...] : fields[last...]
      if let value = places.last(where: { $0.name == name })?.value { return name + " " + value }
    }
    return nil
  }

  /// The SHA-256 that a server of large files gives; nil when it is none.
  func checksum(isHuggingFace: Bool) -> String? {
    let linked = fields.last { $0.name == "x-linked-etag" }?.value
    let tag = linked ?? (isHuggingFace ? fields[last...].last { $0.name == "etag" }?.value : nil)
    return tag?.wholeMatch(of: #/(?:W\/)?"?([0-9a-fA-F]{64})"?/#).map { String($0.1) }
  }
}
