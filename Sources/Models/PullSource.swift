/// Where a model is fetched from.
public struct PullSource: Sendable, Equatable {
  /// The source cannot be understood, or is not to be trusted; the end of a sentence that begins with it.
  public struct Refusal: Error, Equatable {
    public let message: String
  }

  public let url: String
  /// What the file is called there.
  public let fileName: String
  /// The server of this machine: only there is a connection that nobody can check allowed.
  public let isLoopback: Bool
  /// The entity tag of a large file is its SHA-256 there.
  public let isHuggingFace: Bool

  /// - Parameters:
  ///   - text: an address, or `hf:ORGANISATION/NAME/FILE`.
  ///   - hub: the address of Hugging Face.
  public init(_ text: String, hub: String) throws(Refusal) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw Refusal(message: "holds a character that stands in no address")
    }
    isHuggingFace = text.utf8.starts(with: "hf:".utf8)
    url = isHuggingFace ? try Self.hubAddress(text.dropFirst(3), hub: hub) : text
    isLoopback = try Self.isLoopback(url)
    let path = url.prefix { $0 != "?" && $0 != "#" }
    fileName = Self.decoded(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
  }

  private static func hubAddress(_ text: Substring, hub: String) throws(Refusal) -> String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw Refusal(message: "is not of the form hf:ORGANISATION/NAME/FILE")
    }
    let encoded = parts.map(encoded)
    var hub = hub
    while hub.hasSuffix("/") { hub.removeLast() }
    return ([hub, encoded[0], encoded[1], "resolve", "main"] + encoded.dropFirst(2)).joined(separator: "/")
  }

  /// Refuses what is neither encrypted nor of this machine.
  private static func isLoopback(_ url: String) throws(Refusal) -> Bool {
    guard let match = url.prefixMatch(of: #/(?i)(https?):\/\/([^\/?#]*)/#), !match.2.isEmpty else {
      throw Refusal(message: "is not an address that begins with https://, nor hf:ORGANISATION/NAME/FILE")
    }
    // What stands before it would be seen by everybody in the list of processes.
    guard !match.2.contains("@") else { throw Refusal(message: "holds a name or a password before an @") }
    let host = match.2.hasPrefix("[") ? match.2.prefix { $0 != "]" } + "]" : match.2.prefix { $0 != ":" }
    let isLoopback =
      host.lowercased() == "localhost" || host == "[::1]" || host.wholeMatch(of: #/127(\.\d{1,3}){3}/#) != nil
    guard isLoopback || match.1.lowercased() == "https" else {
      throw Refusal(message: "is not encrypted: http:// is for servers of this machine only, take https://")
    }
    return isLoopback
  }

  private static func encoded(_ part: Substring) -> String {
    part.utf8.map { byte in
      let scalar = Character(Unicode.Scalar(byte))
      let isPlain = scalar.isASCII && (scalar.isLetter || scalar.isNumber || "-._~".contains(scalar))
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(scalar) : "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }.joined()
  }

  private static func decoded(_ part: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(part.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a file may have that name in the folder of models.
  public static func isFileName(_ name: String) -> Bool {
    name.lowercased().hasSuffix(".gguf") && name.utf8.count <= 200 && name.utf8.count > 5
      && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }
      && name.utf8.first != UInt8(ascii: ".") && name.utf8.first != UInt8(ascii: "-")
  }
}
