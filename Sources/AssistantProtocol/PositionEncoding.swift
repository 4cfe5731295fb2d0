import JSON

/// The units in which offsets and ranges count (LSP 3.17, `PositionEncodingKind`).
public enum PositionEncoding: String, JSONStringEnum {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
  case utf32 = "utf-32"

  /// The client's first choice among those we have; UTF-16, which every client has to know, when there is none.
  /// - Parameter offered: `capabilities.general.positionEncodings`, in the client's order of preference.
  public init(negotiatedFrom offered: [String]?) {
    self =
      offered?.lazy.compactMap { word in Self.allCases.first { $0.rawValue.hasSameBytes(as: word) } }.first ?? .utf16
  }

  /// How many units the scalar takes.
  public func length(of scalar: Unicode.Scalar) -> Int {
    switch self {
    case .utf8: UTF8.width(scalar)
    case .utf16: UTF16.width(scalar)
    case .utf32: 1
    }
  }

  /// How many units the text takes.
  public func length(of text: some StringProtocol) -> Int {
    switch self {
    case .utf8: text.utf8.count
    case .utf16: text.utf16.count
    case .utf32: text.unicodeScalars.count
    }
  }

  /// The start of the text that takes that many units; nil when the text is shorter or the cut would lie inside a
  /// scalar.
  public func prefix(of text: String, length: Int) -> Substring? {
    guard length >= 0 else { return nil }
    let index =
      switch self {
      case .utf8: text.utf8.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex)
      case .utf16: text.utf16.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex)
      case .utf32: text.unicodeScalars.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex)
      }
    guard let index, index.samePosition(in: text.unicodeScalars) != nil else { return nil }
    return text[..<index]
  }
}
