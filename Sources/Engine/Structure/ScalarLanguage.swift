import Inference
import JSON

/// Scalars as the bytes that stand for them, in plain text or inside a JSON string.
enum ScalarLanguage {
  /// Any of the scalars in UTF-8 (RFC 3629), without a mark as a character.
  static func plain(_ set: ScalarSet) -> RegularLanguage {
    .choice(set.ranges.flatMap { range in lengths.flatMap { sequences(for: range.clamped($0)) } })
  }

  /// One of the scalars as a character of plain text.
  static func character(_ set: ScalarSet) -> RegularLanguage { .character(plain(set)) }

  /// One of the scalars as a character inside a JSON string, in the one spelling that `JSONWriter` gives it.
  static func jsonCharacter(_ set: ScalarSet) -> RegularLanguage {
    let escapes = set.intersection(escaped).ranges.flatMap { range in
      range.map { value in
        let text = Unicode.Scalar(value).map { JSONWriter.bytes(of: .string(String($0))) } ?? []
        return RegularLanguage.bytes(Array(text.dropFirst().dropLast()))
      }
    }
    return .character(.choice([plain(set.subtracting(escaped))] + escapes))
  }

  /// What people write into a free string: everything but control characters; line breaks and tabs are let in.
  static let free = ScalarSet([0x00...0x1F, 0x7F...0x9F]).inverted.union(ScalarSet("\n\t"))

  /// Scalars that a JSON string cannot hold as they are.
  private static let escaped = ScalarSet([0x00...0x1F, 0x22...0x22, 0x5C...0x5C])

  /// The scalars by the number of their bytes.
  private static let lengths: [ClosedRange<UInt32>] = [
    0x00...0x7F, 0x80...0x7FF, 0x800...0xFFFF, 0x1_0000...0x10_FFFF,
  ]

  /// Byte ranges, one after another, whose products are the scalars of a range that all have as many bytes.
  private static func sequences(for range: ClosedRange<UInt32>?) -> [RegularLanguage] {
    guard let range else { return [] }
    let low = bytes(of: range.lowerBound)
    let high = bytes(of: range.upperBound)
    return products(low[...], high[...]).map { ranges in .sequence(ranges.map { .byte($0) }) }
  }

  /// The byte strings between two of the same length whose later bytes run over 0x80…0xBF.
  private static func products(_ low: ArraySlice<UInt8>, _ high: ArraySlice<UInt8>) -> [[ClosedRange<UInt8>]] {
    guard let first = low.first, let last = high.first else { return [[]] }
    let (lowRest, highRest) = (low.dropFirst(), high.dropFirst())
    if first == last { return products(lowRest, highRest).map { [first...first] + $0 } }
    let rest = Array(repeating: UInt8(0x80)...0xBF, count: lowRest.count)
    let startsFull = lowRest.allSatisfy { $0 == 0x80 }
    let endsFull = highRest.allSatisfy { $0 == 0xBF }
    var result: [[ClosedRange<UInt8>]] = []
    if !startsFull {
      result += products(lowRest, rest.map(\.upperBound)[...]).map { [first...first] + $0 }
    }
    let middle = (low: startsFull ? first : first + 1, high: endsFull ? last : last - 1)
    if middle.low <= middle.high { result.append([middle.low...middle.high] + rest) }
    if !endsFull {
      result += products(rest.map(\.lowerBound)[...], highRest).map { [last...last] + $0 }
    }
    return result
  }

  private static func bytes(of value: UInt32) -> [UInt8] {
    switch value {
    case 0...0x7F: [UInt8(value)]
    case 0x80...0x7FF: [0xC0 | UInt8(value >> 6), continuation(value)]
    case 0x800...0xFFFF: [0xE0 | UInt8(value >> 12), continuation(value >> 6), continuation(value)]
    case _: [0xF0 | UInt8(value >> 18), continuation(value >> 12), continuation(value >> 6), continuation(value)]
    }
  }

  private static func continuation(_ value: UInt32) -> UInt8 { 0x80 | UInt8(value & 0x3F) }
}

extension ClosedRange<UInt32> {
  /// What two ranges share.
  fileprivate func clamped(_ other: ClosedRange<UInt32>) -> ClosedRange<UInt32>? {
    let (low, high) = (Swift.max(lowerBound, other.lowerBound), Swift.min(upperBound, other.upperBound))
    return low <= high ? low...high : nil
  }
}
