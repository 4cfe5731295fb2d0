import JSON

enum SchemaFile {
  /// What status 2 means for a command that takes one.
  static let usage = "The command line is wrong, or the schema's file cannot be read or is not JSON."
}

extension Option {
  /// A JSON Schema in a file.
  static func schema(
    _ summary: String, _ set: @escaping @Sendable (inout Settings, JSONValue) -> Void
  ) -> Option {
    .value("--schema", "FILE", summary, kind: .file) { (settings, file) throws(UsageError) in
      set(&settings, try readSchema(file))
    }
  }

  private static func readSchema(_ file: String) throws(UsageError) -> JSONValue {
    let limit = JSONSchema.Limits().bytes * 4
    guard let bytes = Terminal.readFile(file, limit: limit, waitsForWriter: false) else {
      throw UsageError("--schema: “\(file)” cannot be read")
    }
    if bytes.isEmpty { throw UsageError("--schema: “\(file)” is empty, or a pipe that nobody writes") }
    guard bytes.count <= limit else { throw UsageError("--schema: “\(file)” is longer than \(limit >> 10) KiB") }
    do {
      return try JSONParser.parse(bytes)
    } catch {
      throw UsageError("--schema: “\(file)” is not JSON: \(error)")
    }
  }
}
