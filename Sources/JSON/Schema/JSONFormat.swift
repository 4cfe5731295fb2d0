/// The formats of strings that are checked (JSON Schema 2020-12 Validation, section 7.3).
public enum JSONFormat: String, Sendable, CaseIterable {
  /// A full-date of RFC 3339: `2025-02-28`, true to the calendar; years 0001…9999.
  case date
  /// A full-time of RFC 3339 with its offset: `23:59:59Z`, `08:30:00.25+01:00`. No leap seconds.
  case time
  /// A date, `T` and a time.
  case dateTime = "date-time"
  /// Hexadecimal digits in groups of 8, 4, 4, 4 and 12 (RFC 9562, section 4).
  case uuid
  /// A Dot-string and a Domain of RFC 5321, section 4.1.2, with its limits of length; no quoted parts, no addresses of
  /// hosts.
  case email

  /// Whether the string has the format.
  public func matches(_ string: String) -> Bool {
    let bytes = Array(string.utf8)
    switch self {
    case .date: return Self.isDate(bytes[...])
    case .time: return Self.isTime(bytes[...])
    case .dateTime:
      guard bytes.count > 10, bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: "t") else { return false }
      return Self.isDate(bytes[..<10]) && Self.isTime(bytes[11...])
    case .uuid: return Self.isUUID(bytes)
    case .email: return Self.isEmail(bytes)
    }
  }

  /// The lengths that strings of the format have. A time may have any number of digits behind its seconds.
  package var lengths: ClosedRange<Int> {
    switch self {
    case .date: 10...10
    case .time: 9...Int.max
    case .dateTime: 20...Int.max
    case .uuid: 36...36
    case .email: 3...254
    }
  }

  /// The number that so many digits at the front stand for; takes them away.
  private static func number(_ digits: Int, _ bytes: inout ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= digits else { return nil }
    var value = 0
    for byte in bytes.prefix(digits) {
      guard isDigit(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    bytes = bytes.dropFirst(digits)
    return value
  }

  private static func take(_ byte: UInt8, _ bytes: inout ArraySlice<UInt8>) -> Bool {
    guard bytes.first == byte else { return false }
    bytes = bytes.dropFirst()
    return true
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    let dash = UInt8(ascii: "-")
    guard let year = number(4, &rest), take(dash, &rest), let month = number(2, &rest), take(dash, &rest),
      let day = number(2, &rest), rest.isEmpty, year > 0, (1...12).contains(month)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...days[month - 1]).contains(day)
  }

  private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    let colon = UInt8(ascii: ":")
    guard let hour = number(2, &rest), take(colon, &rest), let minute = number(2, &rest), take(colon, &rest),
      let second = number(2, &rest), hour < 24, minute < 60, second < 60
    else { return false }
    if take(UInt8(ascii: "."), &rest) {
      let fraction = rest.prefix(while: isDigit)
      if fraction.isEmpty { return false }
      rest = rest.dropFirst(fraction.count)
    }
    if rest.elementsEqual("Z".utf8) || rest.elementsEqual("z".utf8) { return true }
    guard take(UInt8(ascii: "+"), &rest) || take(UInt8(ascii: "-"), &rest), let offset = number(2, &rest),
      take(colon, &rest), let minutes = number(2, &rest)
    else { return false }
    return rest.isEmpty && offset < 24 && minutes < 60
  }

  private static func isUUID(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      if [8, 13, 18, 23].contains(index) { return byte == UInt8(ascii: "-") }
      return isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
  }

  private static func isEmail(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= 254, let at = bytes.firstIndex(of: UInt8(ascii: "@")) else { return false }
    let dot = UInt8(ascii: ".")
    let local = bytes[..<at]
    let atoms = local.split(separator: dot, omittingEmptySubsequences: false)
    guard local.count <= 64,
      atoms.allSatisfy({ atom in
        !atom.isEmpty && atom.allSatisfy { isLetter($0) || isDigit($0) || "!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }
      })
    else { return false }
    let labels = bytes[(at + 1)...].split(separator: dot, omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      let ends = [label.first, label.last].compactMap(\.self)
      return (1...63).contains(label.count) && ends.allSatisfy { isLetter($0) || isDigit($0) }
        && label.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }
  }
}
