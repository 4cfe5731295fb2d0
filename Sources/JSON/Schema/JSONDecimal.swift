/// A number of JSON with its exact value: `0.1`, `1e2` and `9007199254740993` are what they say, which a `Double`
/// cannot hold. For comparing, not for calculating.
public struct JSONDecimal: Sendable, Hashable {
  public let isNegative: Bool
  /// The digits 0…9 of the magnitude, without zeros at either end; none for zero.
  public let digits: [UInt8]
  /// The magnitude is `0.digits` × 10^`scale`; 0 for zero.
  public let scale: Int

  public init(isNegative: Bool, digits: [UInt8], scale: Int) {
    let start = digits.firstIndex { $0 != 0 } ?? digits.endIndex
    let end = (digits.lastIndex { $0 != 0 } ?? digits.startIndex - 1) + 1
    self.digits = start < end ? Array(digits[start..<end]) : []
    self.scale = start < end ? scale - start : 0
    self.isNegative = isNegative && start < end
  }

  public init(_ number: JSONNumber) {
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    var inExponent = false
    var exponentIsNegative = false
    for byte in number.text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = byte - UInt8(ascii: "0")
        // An exponent of more than nine digits stands for all larger ones.
        if !inExponent { digits.append(digit) } else { exponent = min(exponent * 10 + Int(digit), 999_999_999) }
      case UInt8(ascii: "."): point = digits.count
      case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
      case UInt8(ascii: "-"): if inExponent { exponentIsNegative = true }
      case _: break
      }
    }
    self.init(
      isNegative: number.text.utf8.first == UInt8(ascii: "-"), digits: digits,
      scale: (point ?? digits.count) + (exponentIsNegative ? -exponent : exponent))
  }

  public init(_ value: Int) { self.init(JSONNumber(value)) }

  public var isZero: Bool { digits.isEmpty }

  /// Whether it is a whole number.
  public var isWhole: Bool { fractionDigits == 0 }

  /// Digits behind the decimal point.
  public var fractionDigits: Int { max(0, digits.count - scale) }

  /// Digits before the decimal point, without leading zeros.
  public var wholeDigits: Int { max(0, scale) }

  /// The value when it is a whole number that fits.
  public var int: Int? {
    guard isWhole, scale <= 19 else { return nil }
    var value = 0
    for index in 0..<scale {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (next, carry) = product.subtractingReportingOverflow(index < digits.count ? Int(digits[index]) : 0)
      if overflow || carry { return nil }
      value = next
    }
    return isNegative ? value : value == .min ? nil : -value
  }
}

extension JSONDecimal: Comparable {
  public static func < (left: JSONDecimal, right: JSONDecimal) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? isSmaller(right, left) : isSmaller(left, right)
  }

  /// Compares magnitudes.
  private static func isSmaller(_ left: JSONDecimal, _ right: JSONDecimal) -> Bool {
    if left.isZero || right.isZero { return left.isZero && !right.isZero }
    if left.scale != right.scale { return left.scale < right.scale }
    return left.digits.lexicographicallyPrecedes(right.digits)
  }
}

extension JSONValue {
  /// A byte string that two values share exactly when they are the same value to JSON Schema: numbers by their
  /// mathematical value, objects whatever their order of members (2020-12 Core, section 4.2.2).
  package var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendCanonicalBytes(to: &bytes)
    return bytes
  }

  private func appendCanonicalBytes(to bytes: inout [UInt8]) {
    switch self {
    case .null, .bool, .string: JSONWriter.append(self, to: &bytes)
    case .number(let number):
      let decimal = JSONDecimal(number)
      bytes.append(UInt8(ascii: decimal.isNegative ? "-" : "+"))
      bytes += decimal.digits.map { $0 + UInt8(ascii: "0") }
      bytes += "e\(decimal.scale)".utf8
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for value in values {
        value.appendCanonicalBytes(to: &bytes)
        bytes.append(UInt8(ascii: ","))
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      let members = object.members.map { (Array($0.name.utf8), $0) }
      for (_, member) in members.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
        JSONWriter.append(.string(member.name), to: &bytes)
        member.value.appendCanonicalBytes(to: &bytes)
        bytes.append(UInt8(ascii: ","))
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
