import AssistantProtocol
import EngineProtocol
import JSONRPC

/// `inkling prepare`: makes copies of a model with its weights in other forms, measures them against the model, and
/// leaves the best one where `PreparedModels` finds it.
public struct ModelPreparation: Sendable {
  public enum Outcome: Equatable, Sendable {
    /// Made and measured now; a sentence for each copy that could not be made.
    case measured(PreparedManifest, failures: [String])
    /// What an earlier run has found still holds.
    case unchanged(PreparedManifest)
    /// No copy is made of such a model; the sentence says why.
    case notSuitable(String)
  }

  /// What is being done.
  public enum Step: Equatable, Sendable {
    case making(CopyFormat)
    case measuring
  }

  public struct Failure: Error {
    public enum Kind: Sendable {
      case cancelled
      case failed(PreparationError)
    }
    public var kind: Kind

    init(_ kind: Kind) { self.kind = kind }
  }

  /// Models with more weights are left as they are. (Of its own accord the engine refuses them.)
  public static let mostParameters = 500_000_000

  /// Tokens that a run reads and writes: about what a rewrite of a short paragraph takes.
  public static let runTokens = (read: 100, written: 50)

  private let models: PreparedModels
  private let engine: PreparationEngine

  public init(models: PreparedModels, launcher: any ChildLauncher, buildID: String) {
    self.models = models
    engine = PreparationEngine(launcher: launcher, buildID: buildID)
  }

  /// Prepares a model. Cancelling the task ends the work and leaves what there was before.
  ///
  /// - Parameters:
  ///   - maxDrift: nats; nil: as the last time, else the default.
  ///   - force: measures again although nothing has changed.
  ///   - progress: what is being done and how far it is, 0…1.
  public func prepare(
    _ source: String, maxDrift: Double? = nil, force: Bool = false,
    progress: @escaping @Sendable (Step, Double) -> Void = { _, _ in }
  ) async throws(Failure) -> Outcome {
    do throws(PreparationError) {
      let source = Files.realPath(source)
      try Self.check(source)
      let folder = try PreparationFolder(models.folder(for: source))
      if !force, let known = try known(source, maxDrift: maxDrift, folder) { return .unchanged(known) }
      let earlier = models.manifest(of: source)
      folder.removeStrangers(keeping: earlier)
      let outcome: Result<Outcome, PreparationError>
      do throws(PreparationError) {
        outcome = .success(try await measure(source, maxDrift ?? earlier?.maxDrift, folder, progress))
      } catch {
        outcome = .failure(error)
      }
      if let manifest = models.manifest(of: source) {
        folder.removeStrangers(keeping: manifest)
      } else {
        folder.remove()
      }
      return try outcome.get()
    } catch {
      throw Failure(Task.isCancelled ? .cancelled : .failed(error))
    }
  }

  /// Removes what was prepared for a model; false when there was nothing.
  public func remove(_ source: String) throws(PreparationError) -> Bool {
    let path = models.folder(for: Files.realPath(source))
    if Files.names(in: path).isEmpty { return false }
    let folder = try PreparationFolder(path)
    folder.remove()
    return true
  }

  private static func check(_ source: String) throws(PreparationError) {
    do throws(Unavailability) {
      try ModelFile.check(source)
    } catch {
      throw PreparationError(error.message, remedy: error.remedy)
    }
  }

  /// What an earlier run has found, when it still holds and leads to the same choice.
  private func known(
    _ source: String, maxDrift: Double?, _ folder: borrowing PreparationFolder
  ) throws(PreparationError) -> PreparedManifest? {
    guard var manifest = models.manifest(of: source) else { return nil }
    let copyName = manifest.copy?.file.path
    let copy = if let copyName { FileStamp.ofFile(folder.path + "/" + copyName) } else { FileStamp?.none }
    let now = FileStamp.ofFile(source)
    var hasChanged = false
    if let now, now != manifest.source.stamp, now.sizeBytes == manifest.source.stamp.sizeBytes,
      SHA256.ofFile(source)?.hasSameBytes(as: manifest.source.sha256) ?? false
    {
      // Fetched again or copied: the same bytes with another time.
      manifest.source.stamp = now
      hasChanged = true
    }
    guard manifest.problem(source: now, copy: copy, machine: models.fingerprint) == nil else { return nil }
    if let maxDrift, maxDrift != manifest.maxDrift {
      guard PreparedManifest.best(of: manifest.candidates, maxDrift: maxDrift) == manifest.copy?.format else {
        return nil
      }
      manifest.maxDrift = maxDrift
      hasChanged = true
    }
    if hasChanged { try folder.update(manifest) }
    return manifest
  }

  private func measure(
    _ source: String, _ maxDrift: Double?, _ folder: borrowing PreparationFolder,
    _ progress: @escaping @Sendable (Step, Double) -> Void
  ) async throws(PreparationError) -> Outcome {
    guard let stamp = FileStamp.ofFile(source) else { throw Self.unreadable(source) }
    let made = try await makeCopies(source, folder, progress)
    if let refusal = made.refusal { return .notSuitable(refusal) }
    let copies = made.copies

    progress(.measuring, 0)
    var params = EngineMeasure.Params()
    params.paths = [source] + copies.map(\.path)
    params.text = SampleText.text
    (params.promptTokens, params.writtenTokens) = Self.runTokens
    let measured: EngineMeasure.Result
    do throws(PreparationEngine.Failure) {
      measured = try await engine.run(EngineMeasure.self, params) { progress(.measuring, $0) }
    } catch {
      throw PreparationError(error, while: "measuring the copies")
    }
    // Last, because it takes longer than to refuse a large model.
    guard let sum = SHA256.ofFile(source) else { throw Self.unreadable(source) }
    guard measured.models.count == copies.count + 1, FileStamp.ofFile(source) == stamp else {
      throw PreparationError("\(source) was written while it was measured.", remedy: "Run “inkling prepare” again.")
    }

    var manifest = PreparedManifest()
    manifest.source = FileRecord(path: source, stamp: stamp, sha256: sum)
    manifest.machine = models.fingerprint
    manifest.maxDrift = maxDrift ?? PreparedManifest.defaultMaxDrift
    let formats: [CopyFormat?] = [nil] + copies.map(\.format)
    manifest.candidates = zip(formats, zip(params.paths, measured.models)).map { format, row in
      PreparedCandidate(format: format, sizeBytes: FileStamp.ofFile(row.0)?.sizeBytes ?? 0, figures: row.1)
    }
    let best = PreparedManifest.best(of: manifest.candidates, maxDrift: manifest.maxDrift)
    return .measured(try folder.publish(manifest, copy: best), failures: made.failures)
  }

  private static func unreadable(_ source: String) -> PreparationError {
    PreparationError("\(source) cannot be read to its end.", remedy: "Fetch the file again.")
  }

  /// The copies that could be made, and a sentence for each that could not.
  private struct Made {
    var copies: [(format: CopyFormat, path: String)] = []
    var failures: [String] = []
    /// Why no copy is made of such a model.
    var refusal: String?
  }

  /// Each copy by an engine of its own: one that cannot be made leaves the others. An error when none can.
  private func makeCopies(
    _ source: String, _ folder: borrowing PreparationFolder, _ progress: @escaping @Sendable (Step, Double) -> Void
  ) async throws(PreparationError) -> Made {
    var made = Made()
    var firstError: PreparationError?
    for format in CopyFormat.allCases {
      let path = try folder.makeRoom(for: format)
      progress(.making(format), 0)
      let params = EngineQuantize.Params(source: source, target: path, format: format)
      do throws(PreparationEngine.Failure) {
        _ = try await engine.run(EngineQuantize.self, params) { progress(.making(format), $0) }
        made.copies.append((format, path))
      } catch .answer(let error) where error.code == EngineErrorCode.notSuitable.rawValue {
        made.refusal = error.message
        return made
      } catch .answer(let error) where error.code == EngineErrorCode.sameForm.rawValue {
        continue
      } catch {
        if let full = PreparationError(fullDisk: folder.path) { throw full }
        let problem = PreparationError(error, while: "making the \(format.rawValue) copy")
        if case .cancelled = error { throw problem }
        made.failures.append(problem.message)
        firstError = firstError ?? problem
      }
    }
    if made.copies.isEmpty, let firstError { throw firstError }
    return made
  }
}

extension PreparationError {
  fileprivate init(_ failure: PreparationEngine.Failure, while doing: String) {
    let remedy = "Run “inkling doctor”; the model works without copies."
    switch failure {
    case .answer(let error):
      self.init("Something failed while \(doing): \(error.message.asSentence)", remedy: remedy)
    case .ended(let how): self.init("The engine \(how) while \(doing).", remedy: remedy)
    case .cancelled: self.init("It was interrupted while \(doing).", remedy: "Run “inkling prepare” again.")
    }
  }
}
