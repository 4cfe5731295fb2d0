/// A file that may be a model, looked at without the library that runs models. Takes milliseconds, and never blocks.
package enum GGUFFile {
  /// - Parameter block: as for `GGUFHeader`; by default what the specification has. A type that it has not counts for
  ///   nothing then, since a newer library may know it.
  /// - Returns: the header, and the bytes that the file has.
  package static func header(
    of path: String,
    block: (UInt32) throws(GGUFHeader.Problem) -> GGUFHeader.Block = { (type) throws(GGUFHeader.Problem) in
      GGUFHeader.Block.specified(type) ?? GGUFHeader.Block(elements: 1, bytes: 0)
    }
  ) throws(GGUFHeader.Problem) -> (header: GGUFHeader, size: UInt64) {
    let file: BoundedFileReader
    do throws(BoundedFileReader.OpenProblem) {
      file = try BoundedFileReader(path: path)
    } catch {
      var problem: GGUFHeader.Problem
      switch error {
      case .missing:
        problem = GGUFHeader.Problem("is not there")
        problem.isMissing = true
      case .refused(let text): problem = GGUFHeader.Problem("cannot be opened: \(text)")
      case .notAFile(let kind): problem = GGUFHeader.Problem("is \(kind), not a file")
      }
      problem.isNoModel = true
      throw problem
    }
    guard file.size > 0 else {
      throw GGUFHeader.Problem("is empty; its download did not finish. Fetch it again")
    }
    let start = file.descriptor.read(at: 0, count: 4)
    guard start.elementsEqual("GGUF".utf8) else {
      var problem = GGUFHeader.Problem("is not a GGUF model\(guess(from: file))")
      problem.isNoModel = true
      throw problem
    }
    return (try GGUFHeader(reading: file, block: block), file.size)
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
package struct SplitName {
  private let stem: Substring
  package let part: Int
  package let count: Int

  /// nil when the path is not of that form.
  package init?(_ path: String) {
    guard let match = path.wholeMatch(of: #/(.+)-(\d{5})-of-(\d{5})\.gguf/#.dotMatchesNewlines()),
      let part = Int(match.2), let count = Int(match.3), count > 1, (1...count).contains(part)
    else { return nil }
    (stem, self.part, self.count) = (match.1, part, count)
  }

  package func path(part: Int) -> String { "\(stem)-\(Self.padded(part))-of-\(Self.padded(count)).gguf" }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }
}
