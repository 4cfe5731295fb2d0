/// Makes keys of the bytes that a terminal sends. Characters and control sequences may come in pieces. Sequences that
/// are not known are left out, and so are bytes that are not UTF-8.
public struct KeyReader: Sendable {
  private enum State: Sendable {
    case plain
    /// Behind ESC.
    case escape
    /// Behind `ESC [`: what came since.
    case sequence([UInt8])
    /// Behind `ESC O`.
    case singleShift
    /// Between `ESC [ 200 ~` and `ESC [ 201 ~`.
    case paste([UInt8])
  }

  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// More of one paste is left out.
  private static let longestPaste = 4 << 20
  /// No known sequence comes near to it.
  private static let longestSequence = 32
  private static let escape: UInt8 = 0x1B

  private var state = State.plain
  /// The beginning of a character.
  private var partial: [UInt8] = []
  private var keys: [Key] = []

  public init() {}

  /// An ESC has come, which is the Escape key unless more follows at once.
  public var isWaiting: Bool {
    switch state {
    case .escape, .singleShift, .sequence: true
    case .plain, .paste: false
    }
  }

  /// Takes what was read and gives the keys that are complete.
  public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    for byte in bytes { take(byte) }
    defer { keys = [] }
    return keys
  }

  /// Nothing has followed for a while.
  public mutating func giveUpWaiting() -> [Key] {
    guard isWaiting else { return [] }
    defer { state = .plain }
    if case .escape = state { return [.escape] }
    return []
  }

  private mutating func take(_ byte: UInt8) {
    switch state {
    case .plain: takePlain(byte)
    case .escape: takeEscaped(byte)
    case .singleShift:
      state = .plain
      finish([byte])
    case .sequence(var bytes):
      bytes.append(byte)
      switch byte {
      case 0x40...0x7E:
        state = .plain
        finish(bytes)
      case 0x20...0x3F where bytes.count < Self.longestSequence: state = .sequence(bytes)
      case Self.escape: state = .escape
      case _: state = .plain
      }
    case .paste(var bytes):
      state = .plain
      bytes.append(byte)
      if byte == Self.pasteEnd.last, bytes.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
        keys.append(.paste(Self.pasted(bytes.dropLast(Self.pasteEnd.count))))
      } else {
        // What is over the limit pushes out what came before it, so that the end is still found.
        if bytes.count >= Self.longestPaste + Self.pasteEnd.count { bytes.remove(at: Self.longestPaste) }
        state = .paste(bytes)
      }
    }
  }

  private mutating func takePlain(_ byte: UInt8) {
    if byte < 0x80 { partial = [] }
    switch byte {
    case Self.escape: state = .escape
    case 0x0D: keys.append(.enter)
    case 0x0A: keys.append(.lineFeed)
    case 0x09: keys.append(.tab)
    case 0x08, 0x7F: keys.append(.backspace)
    case 0x01...0x1A: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
    case 0x00, 0x1C...0x1F: break
    case 0x20...0x7E: insert(String(Unicode.Scalar(byte)))
    case _: takePart(byte)
    }
  }

  /// A byte of a character of several.
  private mutating func takePart(_ byte: UInt8) {
    if byte >= 0xC0 { partial = [] }
    partial.append(byte)
    let length =
      switch partial[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      case _: 0
      }
    guard partial.count >= length else { return }
    if let text = String(validating: partial, as: UTF8.self), text.unicodeScalars.allSatisfy(EditableText.allows) {
      insert(text)
    }
    partial = []
  }

  private mutating func takeEscaped(_ byte: UInt8) {
    state = .plain
    switch byte {
    case UInt8(ascii: "["): state = .sequence([])
    case UInt8(ascii: "O"): state = .singleShift
    case Self.escape: state = .escape
    case 0x0D, 0x0A: keys.append(.lineFeed)
    case 0x08, 0x7F: keys.append(.alt("\u{7F}"))
    case 0x20...0x7E: keys.append(.alt(Character(Unicode.Scalar(byte))))
    case _: break
    }
  }

  /// A sequence is complete: parameters, and the byte that says what they mean.
  private mutating func finish(_ sequence: [UInt8]) {
    let numbers = sequence.dropLast().split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? 0
    }
    // 1 and the sum of Shift 1, Alt 2, Control 4.
    let isByWord = numbers.count > 1 && (numbers[1] - 1) & 6 != 0
    switch sequence.last {
    case UInt8(ascii: "A"): keys.append(.up)
    case UInt8(ascii: "B"): keys.append(.down)
    case UInt8(ascii: "C"): keys.append(isByWord ? .wordRight : .right)
    case UInt8(ascii: "D"): keys.append(isByWord ? .wordLeft : .left)
    case UInt8(ascii: "H"): keys.append(.home)
    case UInt8(ascii: "F"): keys.append(.end)
    // The keypad's Enter.
    case UInt8(ascii: "M") where sequence.count == 1: keys.append(.enter)
    case UInt8(ascii: "~"):
      switch numbers.first {
      case 1, 7: keys.append(.home)
      case 4, 8: keys.append(.end)
      case 3: keys.append(.delete)
      case 200: state = .paste([])
      case _: break
      }
    case _: break
    }
  }

  private mutating func insert(_ text: String) {
    // Several characters that come together are one edit, and one redrawing.
    if case .text(let before)? = keys.last {
      keys[keys.count - 1] = .text(before + text)
    } else {
      keys.append(.text(text))
    }
  }

  private static func pasted(_ bytes: some Sequence<UInt8>) -> String {
    let text = String(decoding: Array(bytes), as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    return String(String.UnicodeScalarView(text.unicodeScalars.filter(EditableText.allows)))
  }
}

/// What may stand in a text that is edited.
enum EditableText {
  /// Not what a terminal would obey, nor what turns the direction of the line around.
  static func allows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: true
    case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFD: false
    case _: true
    }
  }
}
