/// Writes GGUF files by the specification, for tests of files that nobody should ship.
public struct GGUFWriter {
  public enum Value {
    case integer(UInt32)
    case string(String)
    case strings([String])
    case raw(type: UInt32, [UInt8])
  }

  public var version: UInt32 = 3
  public var metadata: [(String, Value)] = [("general.architecture", .string("llama"))]
  /// Name, lengths, type and offset of each tensor.
  public var tensors: [(name: String, shape: [UInt64], type: UInt32, offset: UInt64)] = []
  /// Bytes after the header.
  public var dataBytes = 0
  /// What the header says instead of the true counts.
  public var claimedTensors: UInt64?
  public var claimedPairs: UInt64?

  public init() {}

  public var bytes: [UInt8] {
    var result = Array("GGUF".utf8)
    result += le(version)
    result += le(claimedTensors ?? UInt64(tensors.count))
    result += le(claimedPairs ?? UInt64(metadata.count))
    for (key, value) in metadata {
      result += string(key)
      switch value {
      case .integer(let number): result += le(UInt32(4)) + le(number)
      case .string(let text): result += le(UInt32(8)) + string(text)
      case .strings(let texts):
        result += le(UInt32(9)) + le(UInt32(8)) + le(UInt64(texts.count)) + texts.flatMap { string($0) }
      case .raw(let type, let bytes): result += le(type) + bytes
      }
    }
    for tensor in tensors {
      result += string(tensor.name) + le(UInt32(tensor.shape.count)) + tensor.shape.flatMap { le($0) }
      result += le(tensor.type) + le(tensor.offset)
    }
    while result.count % 32 != 0 { result.append(0) }
    return result + [UInt8](repeating: 0, count: dataBytes)
  }

  private func string(_ text: String) -> [UInt8] { le(UInt64(text.utf8.count)) + Array(text.utf8) }
}

/// A number's bytes, the lowest first.
public func le<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
