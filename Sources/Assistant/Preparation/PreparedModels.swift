import EngineProtocol
import JSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder with the copies of this user's models: for each model a folder of its own, with a manifest and the copy.
public struct PreparedModels: Sendable {
  /// What there is for a model.
  public enum Finding: Equatable, Sendable {
    /// Nothing was ever made.
    case none
    /// This file is to be loaded instead of the model's own.
    case copy(path: String, PreparedManifest)
    /// Measured, and the model's own file is as good.
    case sourceIsBest(PreparedManifest)
    /// Not to be used; the rest of a sentence that begins with “the prepared copy”.
    case ignored(String)
  }

  static let manifestName = "manifest.json"
  static let lockName = "lock"

  private let root: String
  private let machine: String

  /// - Parameters:
  ///   - root: the folder; it need not be there.
  ///   - machine: this machine's `Machine.fingerprint`.
  public init(root: String, machine: String = Machine.fingerprint) {
    self.root = root
    self.machine = machine
  }

  /// The file to load for a model. Looks at sizes and times only; takes well under a millisecond.
  public func find(_ source: String) -> Finding {
    let source = Files.realPath(source)
    let folder = folder(for: source)
    guard let bytes = Files.read(folder + "/" + Self.manifestName) else { return .none }
    guard let manifest = Self.manifest(bytes) else { return .ignored("has a manifest that cannot be read") }
    let file = manifest.copy.flatMap { FileStamp.ofFile(folder + "/" + $0.file.path) }
    if let problem = manifest.problem(source: FileStamp.ofFile(source), copy: file, machine: machine) {
      return .ignored(problem)
    }
    guard let copy = manifest.copy else { return .sourceIsBest(manifest) }
    return .copy(path: folder + "/" + copy.file.path, manifest)
  }

  /// Whether the bytes of the copy are those that were measured.
  public static func isIntact(_ path: String, _ manifest: PreparedManifest) -> Bool {
    guard let copy = manifest.copy, let sum = SHA256.ofFile(path) else { return false }
    return sum.hasSameBytes(as: copy.file.sha256)
  }

  var fingerprint: String { machine }

  /// The folder of a model, named for people and for its path.
  func folder(for source: String) -> String {
    let name = source.split(separator: "/").last.map(String.init) ?? "model"
    let stem = name.hasSuffix(".gguf") ? String(name.dropLast(5)) : name
    let readable = stem.unicodeScalars.prefix(60).map { scalar in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
    }
    return root + "/" + String(readable) + "-" + String(FNV1a.hash(source.utf8), radix: 16)
  }

  /// What an earlier run has written of a model; nil without one that can be read.
  func manifest(of source: String) -> PreparedManifest? {
    Files.read(folder(for: source) + "/" + Self.manifestName).flatMap { Self.manifest($0) }
  }

  static func manifest(_ bytes: [UInt8]) -> PreparedManifest? {
    guard let json = try? JSONParser.parse(bytes) else { return nil }
    return try? PreparedManifest(json: json)
  }
}

extension PreparedManifest {
  /// Why the copy is not used, as the rest of a sentence that begins with “the prepared copy”; nil when it can be.
  ///
  /// - Parameters:
  ///   - source: the model's own file as it is now.
  ///   - copy: the copy as it is now.
  package func problem(source: FileStamp?, copy: FileStamp?, machine: String) -> String? {
    if version != Self.currentVersion { return "was made by another version of Inkling" }
    if source != self.source.stamp { return "was made of another file: the model has changed since" }
    if !machine.hasSameBytes(as: self.machine) { return "was measured on another kind of processor" }
    guard let wanted = self.copy else { return nil }
    guard let copy else { return "is missing" }
    if copy.sizeBytes != wanted.file.stamp.sizeBytes { return "is damaged: it has another size than when it was made" }
    return copy == wanted.file.stamp ? nil : "is not the file that was measured: it was written since"
  }
}
