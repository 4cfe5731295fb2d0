import CLlama
import GGUF

/// Looks at a model file before libllama does. Takes milliseconds, and never blocks.
package enum ModelFileCheck {
  private static let remedy = "Give the path of a GGUF model file, or run “make model” for the default one."

  /// The header of a file that can be loaded, checked together with the other parts when the model is split.
  package static func check(_ path: String) throws(ModelLoadError) -> GGUFHeader {
    let header = try header(of: path)
    guard let count = header.metadata["split.count"]?.integer, count > 1 else { return header }
    guard count <= 1000, let name = SplitName(path), name.part == 1, name.count == Int(count) else {
      throw ModelLoadError(
        .modelInvalid,
        "\(path) is one of \(count) parts of a model, and is not named like the first (…-00001-of-…\(count).gguf). "
          + "Give the path of the first part.")
    }
    for part in 2...Int(count) { _ = try self.header(of: name.path(part: part)) }
    return header
  }

  /// All files of a model that was checked.
  static func files(of path: String, header: GGUFHeader) -> [String] {
    guard let count = header.metadata["split.count"]?.integer, count > 1, let name = SplitName(path) else {
      return [path]
    }
    return (1...Int(count)).map { name.path(part: $0) }
  }

  private static func header(of path: String) throws(ModelLoadError) -> GGUFHeader {
    do throws(GGUFHeader.Problem) {
      return try GGUFFile.header(of: path) { (type) throws(GGUFHeader.Problem) in try block(of: type) }.header
    } catch {
      if error.isMissing { throw ModelLoadError(.modelNotFound, "There is no file \(path). \(remedy)") }
      throw ModelLoadError(.modelInvalid, "\(path) \(error.text)." + (error.isNoModel ? " " + remedy : ""))
    }
  }

  /// Elements and bytes of a block of the type, as the library that will load it has them.
  private static func block(of type: UInt32) throws(GGUFHeader.Problem) -> GGUFHeader.Block {
    guard type < GGML_TYPE_COUNT.rawValue else {
      throw GGUFHeader.Problem("has tensors of a type (\(type)) that is not known here")
    }
    let elements = ggml_blck_size(ggml_type(rawValue: type))
    let bytes = ggml_type_size(ggml_type(rawValue: type))
    guard elements > 0, bytes > 0 else {
      throw GGUFHeader.Problem("has tensors of a type (\(type)) that is no longer supported")
    }
    return GGUFHeader.Block(elements: UInt64(elements), bytes: UInt64(bytes))
  }
}
