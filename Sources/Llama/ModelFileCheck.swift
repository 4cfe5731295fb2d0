/// Looks at a model file before libllama does. Takes milliseconds, and never blocks.
package enum ModelFileCheck {
  private static let remedy = "Give the path of a GGUF model file, or run “make model” for the default one."

  /// The header of a file that can be loaded, checked together with the other parts when the model is split.
  package static func check(_ path: String) throws(ModelLoadError) -> GGUFHeader {
    let header = try header(of: path)
    guard let count = header.metadata["split.count"]?.integer, count > 1 else { return header }
    guard count <= 1000, let name = SplitName(path, count: Int(count)) else {
      throw ModelLoadError(
        .modelInvalid,
        "\(path) is one of \(count) parts of a model, and is not named like the first (…-00001-of-…\(count).gguf). "
          + "Give the path of the first part.")
    }
    for part in 2...Int(count) { _ = try self.header(of: name.path(part: part)) }
    return header
  }

  private static func header(of path: String) throws(ModelLoadError) -> GGUFHeader {
    let file: BoundedFileReader
    do throws(BoundedFileReader.OpenProblem) {
      file = try BoundedFileReader(path: path)
    } catch {
      switch error {
      case .missing: throw ModelLoadError(.modelNotFound, "There is no file \(path). \(remedy)")
      case .refused(let text): throw ModelLoadError(.modelInvalid, "\(path) cannot be opened: \(text). \(remedy)")
      case .notAFile(let kind): throw ModelLoadError(.modelInvalid, "\(path) is \(kind), not a file. \(remedy)")
      }
    }
    guard file.size > 0 else {
      throw ModelLoadError(.modelInvalid, "\(path) is empty; its download did not finish. Fetch it again.")
    }
    let start = file.descriptor.read(at: 0, count: 4)
    guard start.elementsEqual("GGUF".utf8) else {
      throw ModelLoadError(.modelInvalid, "\(path) is not a GGUF model\(guess(from: file)). \(remedy)")
    }
    do throws(GGUFHeader.Problem) {
      return try GGUFHeader(reading: file)
    } catch {
      throw ModelLoadError(.modelInvalid, "\(path) \(error.text).")
    }
  }

  /// What a file that is no model probably is.
  private static func guess(from file: borrowing BoundedFileReader) -> String {
    let start = String(decoding: file.descriptor.read(at: 0, count: 256), as: UTF8.self).lowercased()
    let text = start.drop(while: \.isWhitespace)
    if text.hasPrefix("<!doctype") || text.hasPrefix("<html") {
      return ": it is a web page (a download link that led to a sign-in or an error)"
    }
    if text.hasPrefix("version https://git-lfs") { return ": it is a Git LFS pointer (run “git lfs pull”)" }
    return ""
  }
}

/// The naming of split models: `name-00001-of-00003.gguf`.
private struct SplitName {
  private let stem: Substring
  private let count: Int

  init?(_ path: String, count: Int) {
    let ending = "-\(Self.padded(1))-of-\(Self.padded(count)).gguf"
    guard path.hasSuffix(ending) else { return nil }
    stem = path.dropLast(ending.count)
    self.count = count
  }

  func path(part: Int) -> String { "\(stem)-\(Self.padded(part))-of-\(Self.padded(count)).gguf" }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }
}
