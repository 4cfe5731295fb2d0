/// The first byte from `start` on that a JSON string cannot hold as it is: a quote, a backslash, a control character
/// below U+0020. The buffer's count when there is none.
///
/// Eight bytes are looked at together (H. S. Warren, "Hacker's Delight", section 6-1): each test sets the top bit of
/// the bytes it means. A borrow can only spoil bytes above one that was found, so the lowest bit found is right.
func indexOfSpecialByte(in buffer: UnsafeRawBufferPointer, from start: Int) -> Int {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let tops: UInt64 = 0x8080_8080_8080_8080
  var index = start
  while buffer.count - index >= 8 {
    let word = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    let controls = (word &- ones &* 0x20) & ~word
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let found = (controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & tops
    if found != 0 { return index + found.trailingZeroBitCount / 8 }
    index += 8
  }
  while index < buffer.count {
    let byte = buffer[index]
    if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
    index += 1
  }
  return index
}

/// Where a buffer stops being UTF-8 (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF, no sequence cut
/// short); nil when all of it is.
func indexOfInvalidUTF8(in buffer: UnsafeRawBufferPointer) -> Int? {
  var index = 0
  while index < buffer.count {
    if buffer.count - index >= 8,
      buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      index += 8
      continue
    }
    guard let length = lengthOfScalar(in: buffer, at: index) else { return index }
    index += length
  }
  return nil
}

/// How many bytes encode the scalar that begins there; nil when none does (The Unicode Standard, table 3-7).
private func lengthOfScalar(in buffer: UnsafeRawBufferPointer, at index: Int) -> Int? {
  let length: Int
  var second: ClosedRange<UInt8> = 0x80...0xBF
  switch buffer[index] {
  case 0x00...0x7F: return 1
  case 0xC2...0xDF: length = 2
  case 0xE0: (length, second) = (3, 0xA0...0xBF)
  case 0xED: (length, second) = (3, 0x80...0x9F)
  case 0xE1...0xEF: length = 3
  case 0xF0: (length, second) = (4, 0x90...0xBF)
  case 0xF4: (length, second) = (4, 0x80...0x8F)
  case 0xF1...0xF3: length = 4
  case _: return nil
  }
  guard buffer.count - index >= length, second.contains(buffer[index + 1]) else { return nil }
  for later in 2..<max(2, length) where buffer[index + later] & 0xC0 != 0x80 { return nil }
  return length
}
