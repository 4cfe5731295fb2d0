import JSON

/// Random documents and texts for tests that must hold for any of them.
extension SplitMix64 {
  /// A JSON value with nesting of at most `depth` and about `width` members in each container.
  public mutating func jsonValue(depth: Int = 5, width: Int = 5) -> JSONValue {
    switch int(in: 0..<(depth > 0 ? 8 : 5)) {
    case 0: return oneIn(2) ? .null : .bool(oneIn(2))
    case 1: return .number(JSONNumber(Int(truncatingIfNeeded: next() >> UInt64(int(in: 0..<64)))))
    case 2: return .number(JSONNumber(finiteDouble()))
    case 3, 4: return .string(text(maxScalars: 24))
    case 5, 6:
      return .array((0..<int(in: 0..<width + 1)).map { _ in jsonValue(depth: depth - 1, width: width) })
    case _:
      var object = JSONObject()
      for _ in 0..<int(in: 0..<width + 1) {
        object.append(text(maxScalars: 12), jsonValue(depth: depth - 1, width: width))
      }
      return .object(object)
    }
  }

  /// Any bit pattern that is a finite number.
  public mutating func finiteDouble() -> Double {
    while true {
      let value = Double(bitPattern: next())
      if value.isFinite { return value }
    }
  }

  /// A text of up to that many scalars: ASCII, controls, accents both ways, CJK, right-to-left, emoji families.
  public mutating func text(maxScalars: Int) -> String {
    var result = String.UnicodeScalarView()
    let count = int(in: 0..<maxScalars + 1)
    while result.count < count {
      switch int(in: 0..<10) {
      case 0...4: result.append(Unicode.Scalar(UInt8(int(in: 0x20..<0x7F))))
      case 5: result.append(Unicode.Scalar(UInt8(int(in: 0..<0x20))))
      case 6: result.append(contentsOf: pick(["\"", "\\", "/", "\u{2028}", "\u{FEFF}", "\u{7F}"]).unicodeScalars)
      case 7: result.append(contentsOf: pick(["\u{E9}", "e\u{301}", "日", "本", "ش", "ע"]).unicodeScalars)
      case 8: result.append(contentsOf: pick(["👩‍👩‍👧", "🏳️‍🌈", "🇩🇪", "👍🏽", "🙂"]).unicodeScalars)
      case _: if let scalar = Unicode.Scalar(UInt32(int(in: 0x80..<0x11_0000))) { result.append(scalar) }
      }
    }
    return String(result)
  }
}
