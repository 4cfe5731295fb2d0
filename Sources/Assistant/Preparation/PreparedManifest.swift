import EngineProtocol
import JSON

/// What is known of the copies of one model on one machine: a small JSON file beside the copy that is used.
public struct PreparedManifest: JSONMessage, Equatable {
  /// Manifests of another version are ignored.
  static let currentVersion = 1

  public var version = PreparedManifest.currentVersion
  /// The model that the copies were made of.
  public var source = FileRecord()
  /// `Machine.fingerprint` where the speed was measured.
  public var machine = ""
  /// The most drift that was allowed, in nats.
  public var maxDrift = PreparedManifest.defaultMaxDrift
  /// The source first, then each copy that was measured.
  public var candidates: [PreparedCandidate] = []
  /// The copy that is used; nil when the source is as good.
  public var copy: PreparedCopy?

  public init() {}
  public static let fields: [JSONField<PreparedManifest>] = [
    .required("version", \.version, "Of this form."),
    .required("source", \.source, "The model that the copies were made of."),
    .required("machine", \.machine, "Where the speed was measured."),
    .required("maxDrift", \.maxDrift, "The most drift that was allowed, in nats."),
    .required("candidates", \.candidates, "What was measured: the source first."),
    .optional("copy", \.copy, "The copy that is used."),
  ]

  public func validate() throws(JSONMismatch) {
    guard !candidates.isEmpty else { throw JSONMismatch(path: "candidates", "must not be empty") }
    // A name, not a path: nothing outside the folder is ever loaded for a copy.
    let name = copy?.file.path.utf8
    if let name, name.isEmpty || name.contains(UInt8(ascii: "/")) || name.first == UInt8(ascii: ".") {
      throw JSONMismatch(path: "copy.file.path", "must be the name of a file")
    }
  }

  /// A mean Kullback-Leibler divergence of 0.1 nats. For the default model the 8-bit copy drifts 0.005 and the 4-bit
  /// copy 0.27 (its perplexity is a fifth higher), which can be read in what it writes.
  public static let defaultMaxDrift = 0.1

  /// A copy takes room and time, so it must save this part of the time of a run.
  static let leastGain = 0.1

  /// The copy that saves the most time of those that do not drift too far; nil when none saves enough.
  package static func best(of candidates: [PreparedCandidate], maxDrift: Double) -> CopyFormat? {
    candidates.filter { $0.format != nil && $0.figures.divergence <= maxDrift }
      .filter { $0.figures.relativeTime <= 1 - leastGain }
      .min { $0.figures.relativeTime < $1.figures.relativeTime }?.format
  }
}

/// One line of the measurement.
public struct PreparedCandidate: JSONMessage, Equatable {
  /// nil: the source.
  public var format: CopyFormat?
  public var sizeBytes = 0
  public var figures = MeasuredModel()
  public init() {}
  public init(format: CopyFormat?, sizeBytes: Int, figures: MeasuredModel) {
    self.format = format
    self.sizeBytes = sizeBytes
    self.figures = figures
  }
  public static let fields: [JSONField<PreparedCandidate>] =
    [
      .nullable("format", \.format, "The form of the copy's weights; null for the source."),
      .required("sizeBytes", \.sizeBytes, "Of the file."),
    ] + .shared(\.figures)
}

/// The copy that is used.
public struct PreparedCopy: JSONMessage, Equatable {
  public var format = CopyFormat.eightBit
  /// Its path is the name beside the manifest.
  public var file = FileRecord()
  public init() {}
  public init(format: CopyFormat, file: FileRecord) {
    self.format = format
    self.file = file
  }
  public static let fields: [JSONField<PreparedCopy>] = [
    .required("format", \.format, "The form of its weights."), .required("file", \.file, "The file."),
  ]
}

/// A file as it was when it was looked at.
public struct FileRecord: JSONMessage, Equatable {
  public var path = ""
  public var stamp = FileStamp()
  public var sha256 = ""
  public init() {}
  public init(path: String, stamp: FileStamp, sha256: String) {
    self.path = path
    self.stamp = stamp
    self.sha256 = sha256
  }
  public static let fields: [JSONField<FileRecord>] =
    [.required("path", \.path, "The file.")] + .shared(\.stamp) + [.required("sha256", \.sha256, "Of its bytes.")]
}
