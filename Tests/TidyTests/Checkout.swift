import TestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A text file of this checkout. Paths are named from the root: `Sources/JSON/JSONValue.swift`.
struct SourceFile: Sendable {
  let path: String
  let text: String

  var name: String { String(path.split(separator: "/").last ?? "") }
  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var isSwift: Bool { path.hasSuffix(".swift") }

  /// The module that a file of Sources or Tests belongs to: the name of its folder.
  var folder: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : nil
  }
}

/// The files of this checkout, without what git and the build keep beside them.
enum Checkout {
  private static let skipped: Set<String> = [".git", ".build", ".deps", ".DS_Store", ".swiftpm"]

  /// The names in one folder, sorted; `""` is the root.
  static func names(in folder: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))
    return names.filter { !skipped.contains($0) && !$0.hasSuffix(".swp") }.sorted()
  }

  static func isFolder(_ path: String) -> Bool { type(of: path) == .typeDirectory }

  /// Every regular file under a folder. Links are not followed.
  static func paths(under folder: String = "") throws -> [String] {
    var result: [String] = []
    for name in try names(in: folder) {
      let path = folder.isEmpty ? name : folder + "/" + name
      if isFolder(path) {
        result += try paths(under: path)
      } else if type(of: path) == .typeRegular {
        result.append(path)
      }
    }
    return result
  }

  /// Files of code and prose: what people write, not goldens or data.
  static func sources(under folder: String = "") throws -> [SourceFile] {
    let endings = [".swift", ".c", ".h", ".sh", ".py", ".md", ".txt", ".modulemap"]
    return try paths(under: folder)
      .filter { path in endings.contains { path.hasSuffix($0) } || path == "Makefile" || path == ".ci/run" }
      .map { SourceFile(path: $0, text: try readText(Repository.path($0))) }
  }

  static func swiftSources(under folder: String) throws -> [SourceFile] {
    try sources(under: folder).filter(\.isSwift)
  }

  private static func type(of path: String) -> FileAttributeType? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: Repository.path(path))
    return attributes?[.type] as? FileAttributeType
  }
}
