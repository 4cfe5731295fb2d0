import JSON

/// A string as a key that is equal byte for byte only, not canonically as `String` is.
struct ExactString: Hashable, Sendable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (left: ExactString, right: ExactString) -> Bool { left.string.hasSameBytes(as: right.string) }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
