import JSON

/// The messages that a person has sent, in a file that several programs may write at once. A line is a JSON string, so
/// that a message of several lines is one entry.
public struct HistoryFile: Sendable {
  private let path: String
  private let limit: Int
  /// Longer messages are not kept.
  private static let longestEntry = 1 << 16
  private static let largestFile = 64 << 20

  public init(path: String, limit: Int = 1_000) {
    self.path = path
    self.limit = limit
  }

  /// The oldest first; none when there is no such file.
  public func entries() -> [String] {
    let bytes = PrivateFile.read(path, limit: Self.largestFile) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard case .string(let entry)? = try? JSONParser.parse(Array(line)) else { return nil }
      return entry
    }.suffix(limit)
  }

  /// Adds a message, unless it is the last one again, and gives all there are then: others may have added theirs. What
  /// cannot be written is left out.
  @discardableResult
  public func add(_ entry: String) -> [String] {
    guard !entry.isEmpty, entry.utf8.count <= Self.longestEntry else { return entries() }
    PrivateFile.makeFolder(of: path)
    // The file itself is replaced with each writing, and a lock would be on the one that is gone.
    return PrivateFile.withLock(path + ".lock") {
      var all = entries()
      if let last = all.last, last.hasSameBytes(as: entry) { return all }
      all = (all + [entry]).suffix(limit)
      let lines = all.map { JSONWriter.text(of: .string($0)) + "\n" }.joined()
      try? PrivateFile.write(Array(lines.utf8), to: path, overwrites: true)
      return all
    }
  }
}
