import Inference
import JSON

/// Numbers between bounds, as the texts that they are written as: no exponent, no `-0`, no needless zero in front, a
/// bounded number of digits.
struct NumberLanguage {
  /// Without a bound integers have up to this many digits; all of them are exact in a `Double`.
  static let integerDigits = 15
  /// Without a bound numbers have up to this many digits before the point.
  static let wholeDigits = 9
  /// Digits behind the point, unless a bound has more.
  static let fractionDigits = 6
  /// Digits that a `Double` tells apart: readers that use one must not see a number at the wrong side of a bound.
  private static let exactDigits = 15

  /// Digits behind the point.
  private let fraction: Int
  /// The bounds, inclusive, in units of the last digit; as decimal digits and a sign.
  private let low: Scaled
  private let high: Scaled

  /// - Returns: nil when no number with a bounded number of digits lies between the bounds.
  init?(minimum: JSONSchemaNode.Bound?, maximum: JSONSchemaNode.Bound?, isInteger: Bool) {
    let digits = isInteger ? Self.integerDigits : Self.wholeDigits
    let values = [minimum?.value, maximum?.value].compactMap(\.self)
    // What is not bounded reaches at least a digit further than what is.
    let whole = max(digits, (values.map(\.wholeDigits).max() ?? 0) + (values.count == 2 ? 0 : 1))
    let boundDigits = values.count == 2 ? values.map(\.wholeDigits).max() ?? 0 : whole
    let wanted = max(Self.fractionDigits, (values.map(\.fractionDigits).max() ?? 0) + 1)
    let fraction = isInteger ? 0 : max(0, min(wanted, Self.exactDigits - boundDigits))
    let edge = Scaled(isNegative: false, digits: Array(repeating: 9, count: whole + fraction))
    low = minimum.map { Scaled($0, fraction: fraction, isLower: true) } ?? edge.negated
    high = maximum.map { Scaled($0, fraction: fraction, isLower: false) } ?? edge
    self.fraction = fraction
    if high < low { return nil }
  }

  var language: RegularLanguage {
    var parts: [RegularLanguage] = []
    if !high.isNegative {
      parts.append(magnitudes(from: low.isNegative ? [0] : low.digits, to: high.digits))
    }
    if low.isNegative {
      let smallest = high.isNegative ? high.digits : [1]
      parts.append(.sequence([.bytes([UInt8(ascii: "-")]), magnitudes(from: smallest, to: low.digits)]))
    }
    return .choice(parts)
  }

  // MARK: - Digits

  /// The texts of the magnitudes between two, both included.
  private func magnitudes(from low: [UInt8], to high: [UInt8]) -> RegularLanguage {
    let least = max(1, low.count - fraction)
    let most = max(1, high.count - fraction)
    if least == most {
      return between(padded(low, to: least + fraction), padded(high, to: least + fraction), whole: least)
    }
    let largest = [UInt8](repeating: 9, count: least + fraction)
    let smallest = [1] + [UInt8](repeating: 0, count: most + fraction - 1)
    var parts = [
      between(padded(low, to: least + fraction), largest, whole: least), between(smallest, high, whole: most),
    ]
    if least + 1 < most {
      let digits = RegularLanguage.repeated(.byte(0x30...0x39), minimum: least, maximum: most - 2)
      parts.append(.sequence([.byte(0x31...0x39), digits, optionalFraction(fraction)]))
    }
    return .choice(parts)
  }

  private func padded(_ digits: [UInt8], to count: Int) -> [UInt8] {
    Array(repeating: 0, count: max(0, count - digits.count)) + digits
  }

  /// The texts with so many digits before the point between two of the same length.
  private func between(_ low: [UInt8], _ high: [UInt8], whole: Int) -> RegularLanguage {
    if high.lexicographicallyPrecedes(low) { return .choice([]) }
    return digits(at: 0, low: low, high: high, whole: whole)
  }

  /// What may follow `index` digits. A bound is nil when the digits before are off it already, and any may follow.
  /// Digits behind the point may be left out when they would be zeros.
  private func digits(at index: Int, low: [UInt8]?, high: [UInt8]?, whole: Int) -> RegularLanguage {
    let count = whole + fraction
    if index == count { return .empty }
    guard low != nil || high != nil else { return free(at: index, whole: whole) }
    let from = low.map { $0[index] } ?? 0
    let to = high.map { $0[index] } ?? 9
    var choices: [RegularLanguage] = []
    func add(_ digits: ClosedRange<UInt8>, _ low: [UInt8]?, _ high: [UInt8]?) {
      let byte = RegularLanguage.byte(0x30 + digits.lowerBound...0x30 + digits.upperBound)
      choices.append(.sequence([byte, self.digits(at: index + 1, low: low, high: high, whole: whole)]))
    }
    if from == to {
      add(from...to, low, high)
    } else if from < to {
      let inner = (low: low == nil ? from : from + 1, high: high == nil ? to : to - 1)
      if low != nil { add(from...from, low, nil) }
      if inner.low <= inner.high { add(inner.low...inner.high, nil, nil) }
      if high != nil { add(to...to, nil, high) }
    }
    let next =
      index == whole ? RegularLanguage.sequence([.bytes([UInt8(ascii: ".")]), .choice(choices)]) : .choice(choices)
    // Behind the point itself a digit must come.
    let mayEnd = index >= whole && (low?[index...].allSatisfy { $0 == 0 } ?? true)
    return mayEnd ? .choice([.empty, next]) : next
  }

  /// Any digits.
  private func free(at index: Int, whole: Int) -> RegularLanguage {
    let digit = RegularLanguage.byte(0x30...0x39)
    let before = max(0, whole - index)
    let after = fraction - max(0, index - whole)
    let wholePart = RegularLanguage.repeated(digit, minimum: before, maximum: before)
    if fraction > 0, index > whole { return .repeated(digit, minimum: 0, maximum: after) }
    return .sequence([wholePart, optionalFraction(after)])
  }

  /// Up to so many digits behind a point, or neither.
  private func optionalFraction(_ most: Int) -> RegularLanguage {
    if most == 0 { return .empty }
    let digits = RegularLanguage.repeated(.byte(0x30...0x39), minimum: 1, maximum: most)
    return .choice([.empty, .sequence([.bytes([UInt8(ascii: ".")]), digits])])
  }
}

/// A bound in units of the last digit that is written.
private struct Scaled: Comparable {
  var isNegative: Bool
  /// The magnitude's digits, without zeros in front; `[0]` for zero.
  var digits: [UInt8]

  init(isNegative: Bool, digits: [UInt8]) {
    let significant = Array(digits.drop { $0 == 0 })
    self.digits = significant.isEmpty ? [0] : significant
    self.isNegative = isNegative && !significant.isEmpty
  }

  /// The number of units nearest to a bound at its inner side.
  init(_ bound: JSONSchemaNode.Bound, fraction: Int, isLower: Bool) {
    let value = bound.value
    let count = max(0, value.scale + fraction)
    var digits = Array(value.digits.prefix(count))
    digits += Array(repeating: 0, count: count - digits.count)
    let isExact = value.digits.count <= count
    self.init(isNegative: value.isNegative, digits: digits)
    // Cutting digits off moves towards zero: inwards already when that is the side of the other bound.
    let isInside = isExact ? !bound.isExclusive : value.isNegative == isLower
    if !isInside { self = isLower ? successor : negated.successor.negated }
  }

  /// The next larger one.
  private var successor: Scaled {
    var digits = digits
    if isNegative {
      // Of a number that is not zero: borrow from the digits in front.
      var index = digits.count - 1
      while digits[index] == 0 {
        digits[index] = 9
        index -= 1
      }
      digits[index] -= 1
      return Scaled(isNegative: true, digits: digits)
    }
    var index = digits.count - 1
    while index >= 0, digits[index] == 9 {
      digits[index] = 0
      index -= 1
    }
    if index >= 0 { digits[index] += 1 } else { digits.insert(1, at: 0) }
    return Scaled(isNegative: false, digits: digits)
  }

  var negated: Scaled { Scaled(isNegative: !isNegative, digits: digits) }

  static func < (left: Scaled, right: Scaled) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    let isSmaller =
      left.digits.count != right.digits.count
      ? left.digits.count < right.digits.count : left.digits.lexicographicallyPrecedes(right.digits)
    return left.isNegative ? left != right && !isSmaller : isSmaller
  }
}
