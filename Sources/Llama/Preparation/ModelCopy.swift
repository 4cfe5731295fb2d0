import CLlama
import GGUF

/// The forms of weights that copies of a model are made in.
public enum WeightFormat: String, Sendable, CaseIterable {
  /// 8 bits a weight: hardly different from what it is made of.
  case eightBit = "Q8_0"
  /// 4 bits a weight, which libllama rearranges for the processor when it loads them.
  case fourBit = "Q4_0"

  var fileType: llama_ftype {
    switch self {
    case .eightBit: LLAMA_FTYPE_MOSTLY_Q8_0
    case .fourBit: LLAMA_FTYPE_MOSTLY_Q4_0
    }
  }
}

/// Why no copy was made.
public enum ModelCopyError: Error, Equatable {
  /// The source cannot be read.
  case source(ModelLoadError)
  /// Copies are not made of such a model; the sentence says why.
  case notSuitable(String)
  /// The model is in that form already; a copy in another may be made.
  case sameForm(String)
  /// libllama could not make or write it; its words.
  case failed(String)
}

/// Copies of a model whose weights are stored in another form.
public enum ModelCopy {
  /// Models with more weights are left as they are: their files are chosen with more care than a copy of them can be
  /// made, and a copy would take long and much room.
  public static let mostParameters = 500_000_000

  /// Writes a copy of the model at `source` to `target`, on the calling thread. It cannot be ended but with the
  /// process. When it fails, part of the file may be there.
  ///
  /// - Parameters:
  ///   - threads: 0 = one for each processor.
  ///   - progress: called on this thread with the part of the tensors that is done, 0…1.
  public static func make(
    of source: String, to target: String, format: WeightFormat, threads: Int = 0,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) throws(ModelCopyError) {
    try checkSource(source, format)
    let problem = LlamaModel.loading.withLock { _ in quantise(source, target, format, threads: threads, progress) }
    if let problem { throw .failed(problem) }
    do throws(ModelLoadError) {
      _ = try ModelFileCheck.check(target)
    } catch {
      throw .failed(error.message)
    }
  }

  /// What went wrong, or nil.
  private static func quantise(
    _ source: String, _ target: String, _ format: WeightFormat, threads: Int,
    _ progress: @escaping @Sendable (Double) -> Void
  ) -> String? {
    _ = Library.started
    LibraryLog.reset()
    LibraryLog.followProgress { done, total in progress(Double(done) / Double(total)) }
    defer { LibraryLog.followProgress(nil) }
    var parameters = unsafe llama_model_quantize_default_params()
    unsafe parameters.ftype = format.fileType
    // The source is quantised already: that is the point, and the drift is measured afterwards.
    unsafe parameters.allow_requantize = true
    unsafe parameters.nthread = Int32(threads > 0 ? min(threads, Machine.processors) : Machine.processors)
    // When it works, its warnings (of tensors whose rows do not fit a form) say nothing to the user.
    let code = LibraryLog.duringStep {
      unsafe Int32(clamping: llama_model_quantize(source, target, &parameters))
    } isExpected: {
      $0 == 0
    }
    if code == 0 { return nil }
    let words = LibraryLog.takeErrors()
    return words.isEmpty ? "libllama does not say why" : words
  }

  private static func checkSource(_ path: String, _ format: WeightFormat) throws(ModelCopyError) {
    let header: GGUFHeader
    do throws(ModelLoadError) {
      header = try ModelFileCheck.check(path)
    } catch {
      throw .source(error)
    }
    if let parts = header.metadata["split.count"]?.integer, parts > 1 {
      throw .notSuitable("\(path) is a model in \(parts) parts; copies are made of small models only.")
    }
    let parameters = header.tensors.reduce(0) { $0 + $1.elements }
    guard parameters <= mostParameters else {
      throw .notSuitable(
        "\(path) has \(parameters / 1_000_000) million weights; copies are made of models with at most "
          + "\(mostParameters / 1_000_000) million.")
    }
    if let type = header.metadata["general.file_type"]?.integer, type == Int64(format.fileType.rawValue) {
      throw .sameForm("\(path) is in \(format.rawValue) already.")
    }
  }
}
