/// Makes text that can be sent out of the bytes of tokens: whole Unicode scalars, without the stop string, and never
/// ending in half an emoji.
package struct TextAssembler: Sendable {
  private var decoder = ScalarDecoder()
  private var stop: StopMatcher
  private var emoji = EmojiGuard()
  private let isVerbatim: Bool
  /// Text that is ready to be sent.
  package var ready: [UInt8] = []

  /// - Parameter isVerbatim: nothing but unfinished scalars is held back or dropped at the end.
  package init(stop: [[UInt8]], isVerbatim: Bool = false) {
    self.stop = StopMatcher(stop)
    self.isVerbatim = isVerbatim
  }

  /// Takes the bytes of a token in; true when a stop string is complete. What comes after it is ignored.
  package mutating func append(_ bytes: [UInt8]) -> Bool {
    for byte in bytes {
      guard let scalar = decoder.append(byte) else { continue }
      let isStopped = stop.append(scalar)
      flushStop()
      if isStopped { return true }
    }
    return false
  }

  /// Releases what was held back. `isWhole` says that the model or a stop string ended the text; if a limit did, half
  /// a flag is dropped too. Bytes of an unfinished scalar and a joiner that joins nothing are always dropped.
  package mutating func finish(isWhole: Bool) {
    stop.releaseAll()
    flushStop()
    emoji.finish(isWhole: isWhole, into: &ready)
  }

  private mutating func flushStop() {
    for scalar in stop.released {
      if isVerbatim {
        ready.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
      } else {
        emoji.append(scalar, into: &ready)
      }
    }
    stop.released.removeAll(keepingCapacity: true)
  }
}

/// Puts bytes together into Unicode scalars. Bytes that are not UTF-8 are dropped: the longest start of a scalar that
/// cannot be gone on with, as in section 3.9 of the Unicode standard, but without a replacement character.
struct ScalarDecoder: Sendable {
  private var value: UInt32 = 0
  private var missing = 0
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  mutating func append(_ byte: UInt8) -> Unicode.Scalar? {
    if missing > 0 {
      if allowed.contains(byte) {
        value = value << 6 | UInt32(byte & 0x3F)
        missing -= 1
        allowed = 0x80...0xBF
        return missing == 0 ? Unicode.Scalar(value) : nil
      }
      missing = 0
      allowed = 0x80...0xBF
    }
    switch byte {
    case 0x00...0x7F: return Unicode.Scalar(byte)
    case 0xC2...0xDF: start(byte & 0x1F, missing: 1)
    case 0xE0: start(0, missing: 2, allowed: 0xA0...0xBF)
    case 0xED: start(0xD, missing: 2, allowed: 0x80...0x9F)
    case 0xE1...0xEF: start(byte & 0xF, missing: 2)
    case 0xF0: start(0, missing: 3, allowed: 0x90...0xBF)
    case 0xF1...0xF3: start(byte & 0x7, missing: 3)
    case 0xF4: start(4, missing: 3, allowed: 0x80...0x8F)
    default: break
    }
    return nil
  }

  private mutating func start(_ bits: UInt8, missing: Int, allowed: ClosedRange<UInt8> = 0x80...0xBF) {
    value = UInt32(bits)
    self.missing = missing
    self.allowed = allowed
  }
}

/// Keeps the end of the output back while it is half a character to the reader: a joiner after an emoji, the first
/// half of a flag, the tags of a regional flag before their end.
struct EmojiGuard: Sendable {
  private enum Held { case nothing, joiner, flag, tags }

  private var kind = Held.nothing
  private var held: [UInt8] = []
  private var previous: Unicode.Scalar = " "
  private var followsEmoji = false

  mutating func append(_ scalar: Unicode.Scalar, into output: inout [UInt8]) {
    if scalar.value < 0x80 && kind == .nothing {
      output.append(UInt8(scalar.value))
      note(scalar)
      return
    }
    switch scalar.value {
    case 0x200D where followsEmoji: hold(scalar, as: .joiner, &output)
    case 0xE0020...0xE007E where kind == .tags || (kind == .nothing && previous.value == 0x1F3F4):
      held.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
      kind = .tags
      note(scalar)
    case 0x1F1E6...0x1F1FF where kind != .flag: hold(scalar, as: .flag, &output)
    default:
      release(into: &output)
      output.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
      note(scalar)
    }
  }

  mutating func finish(isWhole: Bool, into output: inout [UInt8]) {
    switch kind {
    case .nothing: break
    case .flag: if isWhole { output.append(contentsOf: held) }
    case .joiner, .tags: break
    }
    held.removeAll()
    kind = .nothing
  }

  private mutating func hold(_ scalar: Unicode.Scalar, as kind: Held, _ output: inout [UInt8]) {
    release(into: &output)
    held.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
    self.kind = kind
    note(scalar)
  }

  private mutating func release(into output: inout [UInt8]) {
    output.append(contentsOf: held)
    held.removeAll(keepingCapacity: true)
    kind = .nothing
  }

  /// A variation selector belongs to the emoji before it.
  private mutating func note(_ scalar: Unicode.Scalar) {
    previous = scalar
    if scalar.value == 0xFE0F && followsEmoji { return }
    followsEmoji = scalar.value >= 0x203C && scalar.properties.isEmoji
  }
}
