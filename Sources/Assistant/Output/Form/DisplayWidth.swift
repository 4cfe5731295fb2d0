/// How many columns a text takes in an editor: two for wide characters and emoji, none for marks that combine, and a
/// tab goes on to the next multiple of eight. (Unicode TR 11, as far as editors agree on it.)
package enum DisplayWidth {
  private static let tabStop = 8

  /// The column after the text when it begins at a column.
  package static func column(after text: some StringProtocol, from start: Int = 0) -> Int {
    var column = start
    for scalar in text.unicodeScalars {
      column += scalar == "\t" ? tabStop - column % tabStop : width(of: scalar)
    }
    return column
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value < 0x20 ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    case _: return scalar.isWide ? 2 : 1
    }
  }
}

extension Unicode.Scalar {
  /// Takes two columns: East Asian scripts, full-width forms, emoji.
  var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF: true
    case 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6: true
    case 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD: true
    case _: false
    }
  }

  /// Belongs to a script that puts no spaces between words: Han, kana, and their punctuation.
  var isSpaceless: Bool {
    switch value {
    case 0x2E80...0x2FDF, 0x3001...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF: true
    case 0xFF01...0xFF60, 0x20000...0x3FFFD: true
    case _: false
    }
  }

  /// A letter of a script, or a digit.
  var isWordPart: Bool { properties.isAlphabetic || properties.numericType != nil }
}
