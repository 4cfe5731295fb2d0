/// How messages are told apart in a stream of bytes.
public enum Framing: Sendable, Equatable {
  /// Decided by the first byte that is not white space: `{` or `[` means line framing, anything else header framing.
  case auto
  /// `Content-Length: N`, an empty line and N bytes of JSON: the base protocol of LSP (3.17, "Base Protocol").
  case header
  /// One JSON text a line, in both directions.
  case line
}

/// Bounds on what a peer may send, in bytes.
public struct FrameLimits: Sendable {
  /// The largest message that is read.
  public var message = 64 << 20
  /// A larger message than `message`, up to this, is skipped and refused; beyond it the connection ends.
  public var skipped = 256 << 20
  /// A header with all its lines.
  public var header = 8 << 10
  /// CR and LF before a header's first byte.
  public var blank = 4 << 10

  public init() {}
}

/// Cuts a stream of bytes into messages, without doing any input or output itself.
///
/// After `failed` there is no more: where the next message would begin is unknown, and the reader never guesses.
package struct FrameReader {
  package enum Event: Equatable {
    /// The bytes of one message, not yet known to be JSON.
    case message([UInt8])
    /// A message was skipped; this is the answer to it, and the stream goes on.
    case refused(RPCError)
    /// The stream cannot be read any further.
    case failed(String)
  }

  private enum State {
    case detecting(Detection)
    case beforeHeader(skipped: Int)
    case header
    case body(remaining: Int)
    case skipping(remaining: Int, RPCError)
    case line
    case skippingLine(count: Int)
    case failed
  }

  /// `.auto` until the first byte that decides.
  package private(set) var framing: Framing
  private let limits: FrameLimits
  private var state: State
  private var header = HeaderReader()
  /// The part of the body or line that has come so far.
  private var buffer: [UInt8] = []
  private var isFirstLine = true

  package init(framing: Framing, limits: FrameLimits = FrameLimits()) {
    self.framing = framing
    self.limits = limits
    state =
      switch framing {
      case .auto: .detecting(Detection())
      case .header: .beforeHeader(skipped: 0)
      case .line: .line
      }
  }

  /// Takes bytes off the front of `input` until there is an event; nil when the input is used up.
  package mutating func next(_ input: inout UnsafeRawBufferPointer) -> Event? {
    while !input.isEmpty {
      if let event = step(&input) {
        if case .failed = event { state = .failed }
        return event
      }
    }
    return nil
  }

  /// The end of the input: the last line needs no line feed.
  package mutating func finish() -> Event? {
    switch state {
    case .line: return takeLine()
    case .skippingLine:
      state = .line
      return .refused(tooLong)
    case .detecting, .beforeHeader, .header, .body, .skipping, .failed: return nil
    }
  }

  /// Whether the bytes so far end in the middle of a header or a body.
  package var isInsideFrame: Bool {
    switch state {
    case .header, .body, .skipping: true
    case .detecting(let detection): detection.isInsideMark
    case .beforeHeader, .line, .skippingLine, .failed: false
    }
  }

  /// Whether what comes next is a new message.
  package var isBetweenMessages: Bool {
    switch state {
    case .line: buffer.isEmpty
    case .detecting, .beforeHeader: !isInsideFrame
    case .header, .body, .skipping, .skippingLine, .failed: false
    }
  }
}

extension FrameReader {
  /// One state's work on at least one byte.
  private mutating func step(_ input: inout UnsafeRawBufferPointer) -> Event? {
    switch state {
    case .detecting(let detection): return detect(detection, &input)
    case .beforeHeader(let skipped):
      guard input[0] == Byte.lineFeed || input[0] == Byte.carriageReturn else {
        header = HeaderReader()
        state = .header
        return nil
      }
      drop(1, from: &input)
      if skipped == limits.blank { return .failed("more than \(limits.blank) bytes of empty lines before a header") }
      state = .beforeHeader(skipped: skipped + 1)
      return nil
    case .header: return readHeader(&input)
    case .body(let remaining): return readBody(remaining, &input)
    case .skipping(let remaining, let error):
      let count = min(remaining, input.count)
      drop(count, from: &input)
      return skip(remaining - count, error)
    case .line: return readLine(&input)
    case .skippingLine(let count):
      let end = input.firstIndex(of: Byte.lineFeed)
      let more = end ?? input.count
      drop(end.map { $0 + 1 } ?? more, from: &input)
      return skipLine(count + more, atEnd: end != nil)
    case .failed:
      drop(input.count, from: &input)
      return nil
    }
  }

  private mutating func detect(_ detection: Detection, _ input: inout UnsafeRawBufferPointer) -> Event? {
    var detection = detection
    switch detection.take(input[0]) {
    case .goOn:
      drop(1, from: &input)
      state = .detecting(detection)
    case .line:
      framing = .line
      isFirstLine = false
      state = .line
    case .header:
      framing = .header
      guard detection.fitsHeader(limits) else { return .failed("neither a header nor a JSON text begins the input") }
      state = .beforeHeader(skipped: 0)
    }
    return nil
  }

  private mutating func readHeader(_ input: inout UnsafeRawBufferPointer) -> Event? {
    var used = 0
    defer { drop(used, from: &input) }
    for byte in input {
      used += 1
      do throws(MalformedHeader) {
        guard try header.take(byte, limit: limits.header) else { continue }
        return beginBody(length: try header.length(), error: header.refusal)
      } catch {
        return .failed(error.message)
      }
    }
    return nil
  }

  private mutating func beginBody(length: Int, error: RPCError?) -> Event? {
    if length > limits.skipped { return .failed("a message of \(length) bytes; the limit is \(limits.message)") }
    if length > limits.message { return skip(length, tooLong) }
    if let error { return skip(length, error) }
    if length == 0 {
      state = .beforeHeader(skipped: 0)
      return .message([])
    }
    // The length is a claim: memory is taken as the bytes come.
    buffer.reserveCapacity(min(length, 64 << 10))
    state = .body(remaining: length)
    return nil
  }

  private mutating func readBody(_ remaining: Int, _ input: inout UnsafeRawBufferPointer) -> Event? {
    let count = min(remaining, input.count)
    buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[..<count]))
    drop(count, from: &input)
    if count < remaining {
      state = .body(remaining: remaining - count)
      return nil
    }
    state = .beforeHeader(skipped: 0)
    return .message(takeBuffer())
  }

  private mutating func skip(_ remaining: Int, _ error: RPCError) -> Event? {
    if remaining > 0 {
      state = .skipping(remaining: remaining, error)
      return nil
    }
    state = .beforeHeader(skipped: 0)
    return .refused(error)
  }

  private mutating func readLine(_ input: inout UnsafeRawBufferPointer) -> Event? {
    let end = input.firstIndex(of: Byte.lineFeed)
    buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[..<(end ?? input.count)]))
    drop(end.map { $0 + 1 } ?? input.count, from: &input)
    if buffer.count > limits.message {
      let count = takeBuffer().count
      return skipLine(count, atEnd: end != nil)
    }
    return end == nil ? nil : takeLine()
  }

  /// Goes on in a line that is too long, of which that many bytes have come.
  private mutating func skipLine(_ count: Int, atEnd: Bool) -> Event? {
    if count > limits.skipped { return .failed("a line of over \(limits.skipped) bytes") }
    state = .skippingLine(count: count)
    return atEnd ? finish() : nil
  }

  /// The line in the buffer; nil when it is blank.
  private mutating func takeLine() -> Event? {
    var line = takeBuffer()
    if isFirstLine, line.starts(with: Byte.mark) { line.removeFirst(Byte.mark.count) }
    if line.allSatisfy(Byte.isWhiteSpace) { return nil }
    isFirstLine = false
    return .message(line)
  }

  private mutating func takeBuffer() -> [UInt8] {
    defer { buffer = [] }
    return buffer
  }

  private func drop(_ count: Int, from input: inout UnsafeRawBufferPointer) {
    input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
  }

  private var tooLong: RPCError { .invalidRequest("a message may have at most \(limits.message) bytes") }
}

/// What decides the framing: white space and one byte order mark say nothing yet.
private struct Detection {
  enum Verdict { case goOn, line, header }

  private var skipped = 0
  private var hasBlank = false
  private var markBytes = 0

  var isInsideMark: Bool { markBytes == 1 || markBytes == 2 }

  mutating func take(_ byte: UInt8) -> Verdict {
    if markBytes < Byte.mark.count, byte == Byte.mark[markBytes] {
      markBytes += 1
      return .goOn
    }
    if isInsideMark { return .header }
    switch byte {
    case Byte.lineFeed, Byte.carriageReturn: skipped += 1
    case UInt8(ascii: " "), UInt8(ascii: "\t"): hasBlank = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .line
    case _: return .header
    }
    return .goOn
  }

  /// Before a header there may be only a few CR and LF.
  func fitsHeader(_ limits: FrameLimits) -> Bool { skipped <= limits.blank && !hasBlank && markBytes == 0 }
}

/// Bytes with a meaning in framing.
enum Byte {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  /// The byte order mark U+FEFF in UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == lineFeed || byte == carriageReturn || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
