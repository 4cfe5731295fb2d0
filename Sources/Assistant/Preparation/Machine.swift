#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What tells one kind of processor from another: what was measured on one says nothing about another, though both may
/// share a home folder.
public enum Machine {
  /// The processor's name and a hash of what it can do; the same on every machine with such a processor.
  public static let fingerprint: String = {
    #if os(Linux)
      fingerprint(cpuInfo: text(of: "/proc/cpuinfo"))
    #else
      fingerprint(cpuInfo: brand.map { "model name: " + $0 } ?? "")
    #endif
  }()

  /// Takes the first processor's lines: `model name` and `flags` (x86), `CPU part` and `Features` (ARM).
  package static func fingerprint(cpuInfo: String) -> String {
    var names: [String] = []
    var features = ""
    for line in cpuInfo.split(separator: "\n", omittingEmptySubsequences: false) {
      // An empty line ends a processor's lines.
      if line.isEmpty, !names.isEmpty { break }
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = String(parts[1].drop { $0 == " " })
      switch parts[0].filter({ $0 != "\t" && $0 != " " }) {
      case "modelname", "CPUimplementer", "CPUpart", "uarch", "isa": names.append(value)
      case "flags", "Features": features = value
      case _: break
      }
    }
    let hash = String(FNV1a.hash(features.utf8), radix: 16)
    return (names.isEmpty ? ["unknown processor"] : names).joined(separator: " ") + " (\(hash))"
  }

  #if os(Linux)
    private static func text(of path: String) -> String {
      guard let file = fopen(path, "r") else { return "" }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 1 << 14)
      let count = fread(&bytes, 1, bytes.count, file)
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  #else
    private static var brand: String? {
      var buffer = [CChar](repeating: 0, count: 256)
      var size = buffer.count
      guard sysctlbyname("machdep.cpu.brand_string", &buffer, &size, nil, 0) == 0 else { return nil }
      return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  #endif
}
