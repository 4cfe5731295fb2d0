/// How many columns of a terminal a text takes. Terminals agree about most of it: what Unicode calls wide (UAX 11) and
/// emoji take two columns, marks that stand on another character take none.
public enum DisplayWidth {
  public static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

  /// Of one grapheme cluster: an emoji of several parts is one sign, and wide.
  public static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count > 1, scalars.contains(where: makesEmoji) { return 2 }
    // A spacing mark takes a column of its own, behind what it belongs to.
    return scalars.dropFirst().reduce(of(first)) { width, scalar in
      width + (scalar.properties.generalCategory == .spacingMark ? 1 : 0)
    }
  }

  private static func makesEmoji(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFE0F, 0x20E3, 0x1F1E6...0x1F1FF: true
    case _: scalar.properties.isEmojiModifier || scalar.properties.isEmojiPresentation
    }
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return 0
    case _: break
    }
    // A regional indicator that stands alone is a letter in a box.
    if (0x1F1E6...0x1F1FF).contains(scalar.value) { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// East Asian Width W and F (EastAsianWidth.txt of Unicode 16), without the emoji among them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0x4DBF,
    0x4DC0...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F2FF,
    0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}
