import GGUF

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A model on the disk, and what its header says.
public struct FoundModel: Sendable {
  /// Whether it fits into the memory of this machine.
  public enum Fit: String, Sendable {
    case yes
    /// It may, once other programs have given memory back.
    case tight
    case no
  }

  public var name: String
  public var path: String
  /// nil: it was named by its path.
  public var keeper: ModelKeeper?
  /// Bytes of the file, or of all parts; nil when it is not there.
  public var sizeBytes: Int?
  public var architecture: String?
  public var quantization: String?
  public var license: String?
  /// Tokens of the context window that it was trained with.
  public var trainedContext: Int?
  /// Bytes of the weights and of the KV cache, as far as the header says enough.
  public var memoryBytes: Int?
  public var fit: Fit?
  /// What is wrong with the file, as the end of a sentence that begins with its path.
  public var problem: String?
  public var identity: FileIdentity?
}

/// Tells one file from another, whatever path leads to it.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  /// nil when there is no such file.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

extension FoundModel {
  /// Looks at the file.
  /// - Parameters:
  ///   - window: tokens of the context window for which memory is counted; nil: the default.
  /// - Returns: nil for a file that is no language model: a projector of images, or a vocabulary without weights.
  public init?(_ candidate: ModelCandidate, window: Int? = nil) {
    (name, path, keeper) = (candidate.name, candidate.path, candidate.keeper)
    do throws(GGUFHeader.Problem) {
      guard try read(window) else { return nil }
    } catch {
      problem = error.text
    }
    if license == nil { license = candidate.licensePath.flatMap(Self.firstLine) }
  }

  /// A file that nobody has looked for.
  public init?(path: String, window: Int? = nil) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    self.init(ModelCandidate(name: name, path: path, keeper: .inkling), window: window)
    keeper = nil
  }

  private mutating func read(_ window: Int?) throws(GGUFHeader.Problem) -> Bool {
    identity = FileIdentity(path)
    var (header, size) = try GGUFFile.header(of: path)
    sizeBytes = Int(clamping: size)
    guard header.architecture != "clip", !header.tensors.isEmpty || (SplitName(path)?.count ?? 1) > 1 else {
      return false
    }
    architecture = header.architecture
    quantization = header.quantization
    license = header.license
    trainedContext = header.trainedContext.map { Int($0) }
    if let split = SplitName(path) {
      for part in 2...split.count {
        do throws(GGUFHeader.Problem) {
          let (sum, overflow) = size.addingReportingOverflow(try GGUFFile.header(of: split.path(part: part)).size)
          size = overflow ? .max : sum
        } catch {
          throw GGUFHeader.Problem("has a part \(part) of \(split.count) that \(error.text)")
        }
      }
      sizeBytes = Int(clamping: size)
    }
    let (memory, overflow) = size.addingReportingOverflow(
      header.cacheBytes(window: window ?? GGUFHeader.defaultWindow) ?? 0)
    memoryBytes = overflow ? .max : Int(clamping: memory)
    fit = Self.fit(overflow ? .max : memory)
    return true
  }

  private static func fit(_ needed: UInt64) -> Fit? {
    guard let available = Memory.available, let total = Memory.total else { return nil }
    // A tenth is left to what computes, and to the rest of the system.
    if needed <= available / 10 * 9 { return .yes }
    return needed <= max(available, total / 10 * 9) ? .tight : .no
  }

  /// How a license is called: the first line of its text that is not empty.
  private static func firstLine(of path: String) -> String? {
    guard let file = try? BoundedFileReader(path: path) else { return nil }
    let text = String(decoding: file.descriptor.read(at: 0, count: 4096), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).lazy.map(Self.trimmed).first { !$0.isEmpty }
  }

  private static func trimmed(_ line: Substring) -> String {
    String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension ModelPlaces {
  /// The models that are there. A file to which several ways lead is there once.
  public func models(window: Int? = nil) -> [FoundModel] {
    var seen = Set<FileIdentity>()
    return candidates.compactMap { candidate in
      if let identity = FileIdentity(candidate.path), !seen.insert(identity).inserted { return nil }
      return FoundModel(candidate, window: window)
    }
  }
}
