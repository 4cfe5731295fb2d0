/// Finds characters that nobody sees and that can change what a text means to others: bidirectional controls
/// (Unicode TR 36, section 2.10; CVE-2021-42574), invisible and zero-width characters, tags, control characters.
package enum SuspiciousCharacters {
  /// A run of them, as a half-open range of scalar positions in the text.
  package struct Finding: Equatable, Sendable {
    package var scalars: Range<Int>
    /// The first one, as `U+202E`.
    package var name: String
  }

  /// Those of the text that the source has nowhere.
  package static func find(in text: String, notIn source: String) -> [Finding] {
    let scalars = Array(text.unicodeScalars)
    guard scalars.contains(where: isSuspicious) else { return [] }
    let known = Set(source.unicodeScalars.filter(isSuspicious))
    var findings: [Finding] = []
    for (index, scalar) in scalars.enumerated()
    where isSuspicious(scalar) && !known.contains(scalar) && !joinsEmoji(index, scalars) {
      if let last = findings.last, last.scalars.upperBound == index {
        findings[findings.count - 1].scalars = last.scalars.lowerBound..<index + 1
      } else {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 4 - digits.count))
        findings.append(Finding(scalars: index..<index + 1, name: "U+\(padding)\(digits)"))
      }
    }
    return findings
  }

  /// Whether the scalar is invisible or changes the direction of text. Tab, line feed and carriage return are not.
  package static func isSuspicious(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: false
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F: true
    case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF: true
    case _: false
    }
  }

  /// A zero-width joiner between emoji, and the tags of a flag, belong to one visible sign.
  private static func joinsEmoji(_ index: Int, _ scalars: [Unicode.Scalar]) -> Bool {
    switch scalars[index].value {
    case 0x200D:
      guard index > 0, index + 1 < scalars.count else { return false }
      return isEmojiPart(scalars[index - 1]) && isEmojiPart(scalars[index + 1])
    case 0xE0020...0xE007F:
      let base = scalars[..<index].last { !(0xE0020...0xE007F).contains($0.value) }
      return base?.value == 0x1F3F4
    case _: return false
    }
  }

  private static func isEmojiPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0xFE0F || scalar.properties.isEmojiModifier || (scalar.properties.isEmoji && scalar.value > 0xFF)
  }
}

/// Text made safe to print on a terminal: no escape sequences, no other control characters but tab and line feed, no
/// bidirectional controls. Joiners stay: emoji and several scripts need them.
public enum TerminalText {
  /// The text without what a terminal would obey.
  public static func neutralise(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isObeyed(scalar) { scalars.append(scalar) }
    return String(scalars)
  }

  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0D: true
    case 0x200C, 0x200D, 0xE0020...0xE007F: false
    case _: SuspiciousCharacters.isSuspicious(scalar)
    }
  }
}
