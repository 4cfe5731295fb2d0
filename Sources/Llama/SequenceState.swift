import CLlama
import Inference

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The state of one sequence as bytes, and back.

extension LlamaModel {
  /// A state larger than this is not given away.
  private static let mostStateBytes = 256 << 20

  public func state(of sequence: SequenceID) -> [UInt8]? {
    guard isSequence(sequence), unsafe llama_memory_seq_pos_max(context.memory, sequence) >= 0 else { return nil }
    let size = unsafe llama_state_seq_get_size(context.pointer, sequence)
    guard size > 0, size <= Self.mostStateBytes else { return nil }
    let state = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = unsafe min(size, llama_state_seq_get_data(context.pointer, buffer.baseAddress, size, sequence))
    }
    return state.count == size ? state : nil
  }

  /// Fills a sequence with a saved state. libllama refuses one of another shape; that the numbers are those of this
  /// model only `LlamaFacts.stateKey` can say.
  func restore(_ prefix: SavedPrefix, to sequence: SequenceID) -> Bool {
    guard isSequence(sequence), !prefix.tokens.isEmpty, !prefix.state.isEmpty else { return false }
    let read = unsafe prefix.state.withUnsafeBufferPointer { bytes in
      unsafe llama_state_seq_set_data(context.pointer, bytes.baseAddress, bytes.count, sequence)
    }
    let last = unsafe llama_memory_seq_pos_max(context.memory, sequence)
    if read == prefix.state.count, Int(last) == prefix.tokens.count - 1 { return true }
    _ = LibraryLog.takeErrors()
    _ = unsafe llama_memory_seq_rm(context.memory, sequence, -1, -1)
    return false
  }
}

/// Everything that the state of a sequence depends on besides its tokens, as one line of text. States may go from one
/// process to another when it is the same in both.
enum StateKey {
  /// - Parameter paths: the model's files.
  /// - Returns: nil when a file cannot be looked at.
  static func make(paths: [String], facts: LlamaFacts) -> String? {
    var parts: [String] = []
    for path in paths {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      parts.append("\(status.st_size) \(time.tv_sec).\(time.tv_nsec) \(status.st_ino)")
    }
    // A few models scale positions by the size of the context.
    parts.append("context \(facts.contextSize) attention \(facts.flashAttention) exact \(facts.reproducible)")
    parts.append(facts.architecture + " " + facts.quantization + " " + facts.libllama)
    parts.append(facts.devices.joined(separator: ", "))
    parts.append(unsafe String(cString: llama_print_system_info()))
    return parts.joined(separator: "; ")
  }
}
