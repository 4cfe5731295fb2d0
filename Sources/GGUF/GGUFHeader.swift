/// The header of a GGUF file: what a loader needs to know before it maps the file, and what a person wants to know of a
/// model. Read by ourselves, with bounds, because a loader that trusts a broken file takes the process down.
///
/// Source: the GGUF specification (ggml, docs/gguf.md), versions 2 and 3.
package struct GGUFHeader {
  /// One tensor's place in the file.
  package struct Tensor {
    package var name: String
    package var type: UInt32
    /// How many weights it has.
    package var elements: UInt64
    /// Bytes from the start of the file, and how many.
    package var offset: UInt64
    package var size: UInt64
  }

  /// Scalars and strings of the metadata by key; arrays are checked and left out.
  package var metadata: [String: Value] = [:]
  package var tensors: [Tensor] = []
  /// Bytes the file must have for its last tensor.
  package var requiredFileSize: UInt64 = 0

  package enum Value {
    case integer(Int64)
    case number(Double)
    case string(String)
    case bool(Bool)

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
  }

  /// Why a file is not a GGUF file that can be loaded; the end of a sentence that starts with the file.
  package struct Problem: Error {
    package var text: String
    /// There is no such file.
    package var isMissing = false
    /// It is something else than a model, so that another file is to be named.
    package var isNoModel = false
    package init(_ text: String) { self.text = text }
  }

  /// How the weights of a type lie in a file: so many in a block of so many bytes.
  package struct Block {
    package var elements: UInt64
    package var bytes: UInt64
    package init(elements: UInt64, bytes: UInt64) {
      self.elements = elements
      self.bytes = bytes
    }
  }

  private enum Limits {
    static let tensors: UInt64 = 1 << 20
    static let pairs: UInt64 = 1 << 20
    static let nameBytes: UInt64 = 1 << 16
    /// Bytes of strings that are kept.
    static let keptBytes = 64 << 20
  }

  /// Reads the header of a file that begins with “GGUF”.
  /// - Parameter block: of a tensor's type. Who will load the file asks the library that loads it.
  package init(
    reading file: borrowing BoundedFileReader, block: (UInt32) throws(Problem) -> Block
  ) throws(Problem) {
    var cursor = Cursor(file: file)
    let version = try cursor.integer(UInt32.self)
    if version.byteSwapped == 2 || version.byteSwapped == 3 {
      throw Problem("is a GGUF file for a processor of the other byte order")
    }
    guard version == 2 || version == 3 else { throw Problem("is a GGUF file of version \(version), not 2 or 3") }
    let tensorCount = try cursor.integer(UInt64.self)
    let pairCount = try cursor.integer(UInt64.self)
    guard tensorCount <= Limits.tensors, pairCount <= Limits.pairs else {
      throw Problem("has a damaged header (\(tensorCount) tensors, \(pairCount) metadata pairs)")
    }
    var keptBytes = 0
    for _ in 0..<pairCount {
      keptBytes += try readPair(&cursor)
      guard keptBytes <= Limits.keptBytes else { throw Problem("has a damaged header (its strings are too long)") }
    }
    var infos: [Tensor] = []
    for _ in 0..<tensorCount { infos.append(try Self.readTensor(&cursor, block)) }
    try place(infos, after: cursor.position, fileSize: file.size)
  }

  /// - Returns: the bytes of the strings that are kept.
  private mutating func readPair(_ cursor: inout Cursor) throws(Problem) -> Int {
    let key = try cursor.string(limit: Limits.nameBytes)
    let type = try cursor.integer(UInt32.self)
    if type == ValueType.array {
      try cursor.skipArray(depth: 0)
      return 0
    }
    let value = try cursor.value(type)
    metadata[key] = value
    return key.utf8.count + (value.string?.utf8.count ?? 0)
  }

  /// The offset is still counted from the start of the data.
  private static func readTensor(
    _ cursor: inout Cursor, _ block: (UInt32) throws(Problem) -> Block
  ) throws(Problem) -> Tensor {
    let name = try cursor.string(limit: Limits.nameBytes)
    let dimensions = try cursor.integer(UInt32.self)
    guard (1...4).contains(dimensions) else { throw Problem("has a tensor with \(dimensions) dimensions") }
    var elements: UInt64 = 1
    var rowLength: UInt64 = 1
    for dimension in 0..<dimensions {
      let length = try cursor.integer(UInt64.self)
      let (product, overflow) = elements.multipliedReportingOverflow(by: length)
      guard !overflow, length > 0 else { throw Problem("has a tensor of an impossible shape") }
      elements = product
      if dimension == 0 { rowLength = length }
    }
    let type = try cursor.integer(UInt32.self)
    let offset = try cursor.integer(UInt64.self)
    let block = try block(type)
    guard rowLength % block.elements == 0 else { throw Problem("has a tensor whose rows do not fit its type") }
    let (size, overflow) = (elements / block.elements).multipliedReportingOverflow(by: block.bytes)
    guard !overflow else { throw Problem("has a tensor of an impossible shape") }
    return Tensor(name: name, type: type, elements: elements, offset: offset, size: size)
  }

  private mutating func place(_ infos: [Tensor], after position: UInt64, fileSize: UInt64) throws(Problem) {
    let alignment = metadata["general.alignment"]?.integer ?? 32
    guard alignment > 0, alignment <= 1 << 20, alignment & (alignment - 1) == 0 else {
      throw Problem("has a damaged header (alignment \(alignment))")
    }
    let mask = UInt64(alignment) - 1
    let dataStart = (position + mask) & ~mask
    requiredFileSize = infos.isEmpty ? position : dataStart
    for info in infos {
      let (start, overflow) = dataStart.addingReportingOverflow(info.offset)
      let (end, overflowAgain) = start.addingReportingOverflow(info.size)
      guard !overflow, !overflowAgain else { throw Problem("has a tensor at an impossible place") }
      var placed = info
      placed.offset = start
      tensors.append(placed)
      requiredFileSize = max(requiredFileSize, end)
    }
    guard requiredFileSize <= fileSize else {
      throw Problem("is cut off: it has \(fileSize) of \(requiredFileSize) bytes")
    }
  }
}

/// The numbers by which GGUF names the types of metadata values.
private enum ValueType {
  static let string: UInt32 = 8
  static let array: UInt32 = 9
}

/// Reads a GGUF header front to back.
private struct Cursor: ~Copyable {
  /// The longest header that is read, so that a file which lies about its counts does not keep us for minutes.
  private static let mostBytes: UInt64 = 256 << 20

  var position: UInt64 = 4
  private let fileSize: UInt64
  private let descriptor: BoundedFileReader.Descriptor
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0

  init(file: borrowing BoundedFileReader) {
    fileSize = file.size
    descriptor = file.descriptor
  }

  mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(GGUFHeader.Problem) -> Number {
    let width = Number.bitWidth / 8
    try fill(width)
    let start = Int(position - windowStart)
    var result: Number = 0
    for index in (0..<width).reversed() { result = (result << 8) | Number(window[start + index]) }
    position += UInt64(width)
    return result
  }

  /// A string of at most `limit` bytes.
  mutating func string(limit: UInt64) throws(GGUFHeader.Problem) -> String {
    let count = try integer(UInt64.self)
    guard count <= limit else { throw GGUFHeader.Problem("has a damaged header (a name of \(count) bytes)") }
    try fill(Int(count))
    let start = Int(position - windowStart)
    position += count
    return String(decoding: window[start..<start + Int(count)], as: UTF8.self)
  }

  /// A scalar or a string. A string over 1 MiB (some files carry a whole tokenizer description) is left empty.
  mutating func value(_ type: UInt32) throws(GGUFHeader.Problem) -> GGUFHeader.Value {
    switch type {
    case 0: return .integer(Int64(try integer(UInt8.self)))
    case 1: return .integer(Int64(Int8(bitPattern: try integer(UInt8.self))))
    case 2: return .integer(Int64(try integer(UInt16.self)))
    case 3: return .integer(Int64(Int16(bitPattern: try integer(UInt16.self))))
    case 4: return .integer(Int64(try integer(UInt32.self)))
    case 5: return .integer(Int64(Int32(bitPattern: try integer(UInt32.self))))
    case 6: return .number(Double(Float(bitPattern: try integer(UInt32.self))))
    case 7: return .bool(try integer(UInt8.self) != 0)
    case ValueType.string: return .string(try longString())
    case 10: return .integer(Int64(clamping: try integer(UInt64.self)))
    case 11: return .integer(Int64(bitPattern: try integer(UInt64.self)))
    case 12: return .number(Double(bitPattern: try integer(UInt64.self)))
    default: throw GGUFHeader.Problem("has a damaged header (value type \(type))")
    }
  }

  private mutating func longString() throws(GGUFHeader.Problem) -> String {
    let start = position
    let count = try integer(UInt64.self)
    if count > 1 << 20 {
      try skip(count)
      return ""
    }
    position = start
    return try string(limit: 1 << 20)
  }

  mutating func skipArray(depth: Int) throws(GGUFHeader.Problem) {
    guard depth < 4 else { throw GGUFHeader.Problem("has a damaged header (arrays nested too deeply)") }
    let type = try integer(UInt32.self)
    let count = try integer(UInt64.self)
    // Every element takes at least a byte, so a count beyond the file's size is a lie.
    guard count <= fileSize else { throw GGUFHeader.Problem("has a damaged header (an array of \(count))") }
    switch type {
    case 0, 1, 7: try skip(count)
    case 2, 3: try skip(count * 2)
    case 4, 5, 6: try skip(count * 4)
    case 10, 11, 12: try skip(count * 8)
    case ValueType.string: for _ in 0..<count { try skip(try integer(UInt64.self)) }
    case ValueType.array: for _ in 0..<count { try skipArray(depth: depth + 1) }
    default: throw GGUFHeader.Problem("has a damaged header (array type \(type))")
    }
  }

  private mutating func skip(_ count: UInt64) throws(GGUFHeader.Problem) {
    guard count <= fileSize - position else { throw GGUFHeader.Problem("is cut off inside its header") }
    position += count
  }

  /// Makes the next `count` bytes available in the window.
  private mutating func fill(_ count: Int) throws(GGUFHeader.Problem) {
    guard UInt64(count) <= fileSize, position <= fileSize - UInt64(count) else {
      throw GGUFHeader.Problem("is cut off inside its header")
    }
    guard position <= Self.mostBytes else {
      throw GGUFHeader.Problem("has a damaged header (it is longer than \(Self.mostBytes >> 20) MiB)")
    }
    let windowEnd = windowStart + UInt64(window.count)
    if position >= windowStart, position + UInt64(count) <= windowEnd { return }
    window = descriptor.read(at: position, count: max(count, 1 << 16))
    windowStart = position
    guard window.count >= count else { throw GGUFHeader.Problem("cannot be read to the end of its header") }
  }
}
