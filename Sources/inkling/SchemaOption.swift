import JSON

extension Option {
  /// A JSON Schema in a file.
  static func schema(
    _ summary: String, _ path: any WritableKeyPath<Settings, JSONValue?> & Sendable
  ) -> Option {
    .value("--schema", "FILE", summary) { (settings, file) throws(UsageError) in
      settings[keyPath: path] = try readSchema(file)
    }
  }

  private static func readSchema(_ file: String) throws(UsageError) -> JSONValue {
    let limit = JSONSchema.Limits().bytes * 4
    guard let bytes = Terminal.readFile(file, limit: limit) else {
      throw UsageError("--schema: “\(file)” cannot be read")
    }
    guard bytes.count <= limit else { throw UsageError("--schema: “\(file)” is longer than \(limit >> 10) KiB") }
    do {
      return try JSONParser.parse(bytes)
    } catch {
      throw UsageError("--schema: “\(file)” is not JSON: \(error)")
    }
  }
}
