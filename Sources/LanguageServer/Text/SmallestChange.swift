extension DocumentText {
  /// A replacement without what old and new text share at both ends: a client that sends the whole text for one letter
  /// has changed one letter. Cuts lie between scalars, and never inside CRLF, where no position is.
  func smallest(_ range: Range<Int>, _ new: [UInt8]) -> (range: Range<Int>, new: [UInt8]) {
    let most = min(range.count, new.count)
    var head = 0
    while head < most, bytes[range.lowerBound + head] == new[head] { head += 1 }
    while head > 0, !isCut(range.lowerBound + head, in: bytes, range) || !isCut(head, in: new, 0..<new.count) {
      head -= 1
    }
    var tail = 0
    while tail < most - head, bytes[range.upperBound - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    while tail > 0,
      !isCut(range.upperBound - tail, in: bytes, range) || !isCut(new.count - tail, in: new, 0..<new.count)
    {
      tail -= 1
    }
    return (range.lowerBound + head..<range.upperBound - tail, Array(new[head..<new.count - tail]))
  }

  private func isCut(_ index: Int, in bytes: [UInt8], _ range: Range<Int>) -> Bool {
    guard range.contains(index), index > range.lowerBound else { return true }
    return !Byte.isContinuation(bytes[index])
      && !(bytes[index] == Byte.lineFeed && bytes[index - 1] == Byte.carriageReturn)
  }
}
