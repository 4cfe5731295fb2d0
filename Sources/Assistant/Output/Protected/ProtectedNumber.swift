/// Numbers with what belongs to them.
enum ProtectedNumber {
  private static let units = Set(
    """
    % ‰ × ° °c °f b kb mb gb tb kib mib gib tib kbit mbit gbit ms s µs μs us ns min h hr hrs d nm µm μm mm cm m km mi \
    ft in g kg mg t lb oz l ml hz khz mhz ghz w kw mw kwh v a k px pt em am pm eur usd
    """.split(separator: " ").map(String.init))
  /// Behind a space these are words, or signs of their own: “5 in the box”, “3 × 4”.
  private static let onlyAttached: Set = ["in", "a", "×"]

  /// The end of the number that begins at a digit: `2.4.1`, `2026-03-14`, `99th`, `512 MiB`, `14:30`, `1.234,56 €`.
  static func end(in scalars: [Unicode.Scalar], from start: Int) -> Int {
    let end = digitsEnd(in: scalars, from: start)
    let unit = end < scalars.count && isSpace(scalars[end]) ? end + 1 : end
    var unitEnd = unit
    while unitEnd < scalars.count, unitEnd - unit < 5, isOfUnit(scalars[unitEnd]) { unitEnd += 1 }
    guard unitEnd > unit, unitEnd == scalars.count || !scalars[unitEnd].isWordPart else { return end }
    if unitEnd == unit + 1, scalars[unit].isCurrency { return unitEnd }
    let name = String(scalars: scalars[unit..<unitEnd]).lowercased()
    return units.contains(name) && (unit == end || !onlyAttached.contains(name)) ? unitEnd : end
  }

  /// The end of the price that begins at the sign of a currency: `$1,234.56`, `€ 8`.
  static func priceEnd(in scalars: [Unicode.Scalar], from start: Int) -> Int? {
    let place = start + 1 < scalars.count && isSpace(scalars[start + 1]) ? start + 2 : start + 1
    guard place < scalars.count, scalars[place].isDigit else { return nil }
    return digitsEnd(in: scalars, from: place)
  }

  private static func digitsEnd(in scalars: [Unicode.Scalar], from start: Int) -> Int {
    var end = start
    while end < scalars.count {
      let scalar = scalars[end]
      guard scalar.isWordPart && !scalar.isSpaceless || joins(scalars, at: end) else { break }
      end += 1
    }
    return end
  }

  /// Whether digits go on behind the sign: any after a point or a dash, three after a narrow space.
  private static func joins(_ scalars: [Unicode.Scalar], at place: Int) -> Bool {
    let next = scalars[(place + 1)...].prefix(4)
    switch scalars[place] {
    case ".", ",", ":", "/", "-", "–", "'", "’", "_": return next.first?.isDigit ?? false
    case "\u{A0}", "\u{2009}", "\u{202F}": return next.prefix { $0.isDigit }.count == 3
    case _: return false
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\u{A0}" || scalar == "\u{2009}" || scalar == "\u{202F}"
  }

  private static func isOfUnit(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isSpaceless { return false }
    return scalar.isWordPart || scalar.isCurrency || ["%", "‰", "°", "×"].contains(scalar)
  }
}

extension Unicode.Scalar {
  var isDigit: Bool { properties.numericType == .decimal }
  var isCurrency: Bool { properties.generalCategory == .currencySymbol }
}
