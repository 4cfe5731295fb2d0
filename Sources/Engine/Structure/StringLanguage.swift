import Inference
import JSON

/// The contents of JSON strings, without their quotes, as regular languages whose characters are counted.
enum StringLanguage {
  static let free = RegularLanguage.repeated(
    ScalarLanguage.jsonCharacter(ScalarLanguage.free), minimum: 0, maximum: nil)

  /// The strings that match a pattern. What surrounds an expression that is not tied to the ends is written as free
  /// text.
  static func matching(_ node: JSONPattern.Node) -> RegularLanguage {
    switch node {
    case .empty: .empty
    case .anyScalar: ScalarLanguage.jsonCharacter(ScalarLanguage.free)
    case .set(let set): set.isEmpty ? .choice([]) : ScalarLanguage.jsonCharacter(sensible(set))
    case .sequence(let nodes): .sequence(nodes.map(matching))
    case .choice(let nodes): .choice(nodes.map(matching))
    case .repeated(let node, let minimum, let maximum):
      .repeated(matching(node), minimum: minimum, maximum: maximum)
    }
  }

  /// A class that leaves a few characters out, such as `[^a]`, means text, without control characters.
  private static func sensible(_ set: ScalarSet) -> ScalarSet {
    let text = set.intersection(ScalarLanguage.free)
    return text.ranges.contains { $0.count > 10_000 } ? text : set
  }

  /// The strings of a format. A few that are valid are not written: times with more than three digits behind the second
  /// or offsets beyond 14:59, hexadecimal capitals, unusual characters in addresses.
  static func of(_ format: JSONFormat) -> RegularLanguage {
    switch format {
    case .date: date
    case .time: time
    case .dateTime: .sequence([date, text("T"), time])
    case .uuid:
      .sequence([hexadecimal(8)] + [4, 4, 4, 12].flatMap { [text("-"), hexadecimal($0)] })
    case .email: email
    }
  }

  // MARK: - Dates and times

  private static let date = RegularLanguage.choice([
    .sequence([year, text("-"), dayOfCommonYear]), .sequence([leapYear, text("-02-29")]),
  ])

  /// 0001…9999.
  private static let year = RegularLanguage.choice([
    .sequence([digit(1, 9), digits(3)]), .sequence([text("0"), digit(1, 9), digits(2)]),
    .sequence([text("00"), digit(1, 9), digits(1)]), .sequence([text("000"), digit(1, 9)]),
  ])

  private static let leapYear: RegularLanguage = {
    let fours = (1...24).map { number($0 * 4) }
    return .choice([.sequence([digits(2), .choice(fours)]), .sequence([.choice(fours), text("00")])])
  }()

  /// Month and day without the 29th of February.
  private static let dayOfCommonYear: RegularLanguage = {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return .choice(
      [28, 30, 31].map { length in
        let months = lengths.indices.filter { lengths[$0] == length }.map { number($0 + 1) }
        return .sequence([.choice(months), text("-"), .choice((1...length).map(number))])
      })
  }()

  private static let time: RegularLanguage = {
    let minute = RegularLanguage.sequence([digit(0, 5), digit(0, 9)])
    let fraction = RegularLanguage.sequence([text("."), .repeated(digit(0, 9), minimum: 1, maximum: 3)])
    let offset = RegularLanguage.sequence([
      .choice([text("+"), text("-")]), .choice((0...14).map(number)), text(":"), minute,
    ])
    return .sequence([
      .choice((0...23).map(number)), text(":"), minute, text(":"), minute, .choice([.empty, fraction]),
      .choice([text("Z"), offset]),
    ])
  }()

  // MARK: - Addresses

  /// Up to 32 letters, digits and single marks between them; a domain of two to four labels of up to 24.
  private static let email: RegularLanguage = {
    let alphanumeric = ScalarLanguage.jsonCharacter(ScalarSet([0x30...0x39, 0x41...0x5A, 0x61...0x7A]))
    func word(_ marks: String, most: Int) -> RegularLanguage {
      let mark = ScalarLanguage.jsonCharacter(ScalarSet(marks))
      let next = RegularLanguage.sequence([.choice([.empty, mark]), alphanumeric])
      return .sequence([alphanumeric, .repeated(next, minimum: 0, maximum: most / 2 - 1)])
    }
    let label = word("-", most: 24)
    return .sequence([
      word("._+-", most: 32), text("@"), label,
      .repeated(.sequence([text("."), label]), minimum: 1, maximum: 3),
    ])
  }()

  // MARK: - Pieces

  private static func text(_ text: String) -> RegularLanguage {
    .sequence(text.unicodeScalars.map { ScalarLanguage.jsonCharacter(ScalarSet([$0.value...$0.value])) })
  }

  private static func digit(_ low: UInt32, _ high: UInt32) -> RegularLanguage {
    ScalarLanguage.jsonCharacter(ScalarSet([0x30 + low...0x30 + high]))
  }

  private static func digits(_ count: Int) -> RegularLanguage {
    .repeated(digit(0, 9), minimum: count, maximum: count)
  }

  private static func hexadecimal(_ count: Int) -> RegularLanguage {
    let digit = ScalarLanguage.jsonCharacter(ScalarSet([0x30...0x39, 0x61...0x66]))
    return .repeated(digit, minimum: count, maximum: count)
  }

  /// Two digits.
  private static func number(_ value: Int) -> RegularLanguage { text(value < 10 ? "0\(value)" : "\(value)") }
}
