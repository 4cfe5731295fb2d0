extension GGUFHeader.Block {
  /// The types that the specification has; nil for a newer one, and for one that is no longer used.
  ///
  /// Source: ggml, `enum ggml_type` and the blocks of `ggml-common.h`.
  package static func specified(_ type: UInt32) -> GGUFHeader.Block? {
    switch type {
    case 24: block(1, 1)
    case 1, 25, 30: block(1, 2)
    case 0, 26: block(1, 4)
    case 27, 28: block(1, 8)
    case 2, 20: block(32, 18)
    case 3: block(32, 20)
    case 6: block(32, 22)
    case 7: block(32, 24)
    case 8: block(32, 34)
    case 9: block(32, 36)
    case 39: block(32, 17)
    case 10: block(256, 84)
    case 11, 21: block(256, 110)
    case 12: block(256, 144)
    case 13: block(256, 176)
    case 14: block(256, 210)
    case 15: block(256, 292)
    case 16, 35: block(256, 66)
    case 17: block(256, 74)
    case 18: block(256, 98)
    case 19: block(256, 50)
    case 22: block(256, 82)
    case 23: block(256, 136)
    case 29: block(256, 56)
    case 34: block(256, 54)
    case _: nil
    }
  }

  private static func block(_ elements: UInt64, _ bytes: UInt64) -> GGUFHeader.Block {
    GGUFHeader.Block(elements: elements, bytes: bytes)
  }
}

extension GGUFHeader {
  package var architecture: String? { metadata["general.architecture"]?.string }
  package var license: String? { metadata["general.license"]?.string }

  /// Tokens of the context window that the model was trained with.
  package var trainedContext: Int64? { value("context_length") }

  /// A number of the architecture's own.
  func value(_ name: String) -> Int64? {
    architecture.flatMap { metadata["\($0).\(name)"]?.integer }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// How the weights are quantized, as files are named; nil when the file does not say.
  ///
  /// Source: llama.cpp, `enum llama_ftype`.
  package var quantization: String? {
    guard let type = metadata["general.file_type"]?.integer else { return nil }
    let names: [Int64: String] = [
      0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
      12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS",
      20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M",
      28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
    ]
    return names[type]
  }
}
