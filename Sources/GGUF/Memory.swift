#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension GGUFHeader {
  /// Tokens of the context window when nobody has chosen: the smaller of these and what the model was trained with.
  package static var defaultWindow: Int { 8192 }

  /// Bytes of the KV cache for a window of that many tokens, with two bytes a number; nil when the header does not say
  /// enough.
  package func cacheBytes(window: Int) -> UInt64? {
    guard let layers = value("block_count"), let heads = value("attention.head_count_kv"),
      let keys = value("attention.key_length") ?? headLength, let values = value("attention.value_length") ?? headLength
    else { return nil }
    let tokens = UInt64(max(1, min(Int64(window), trainedContext ?? .max)))
    var bytes = tokens * 2
    for factor in [UInt64(layers), UInt64(heads), UInt64(keys).addingReportingOverflow(UInt64(values)).partialValue] {
      let (product, overflow) = bytes.multipliedReportingOverflow(by: factor)
      if overflow { return .max }
      bytes = product
    }
    return bytes
  }

  private var headLength: Int64? {
    guard let width = value("embedding_length"), let heads = value("attention.head_count") else { return nil }
    return width / heads
  }
}

/// The memory that the machine gives this process. nil when the system does not tell.
package enum Memory {
  /// Bytes that can be had without pushing other programs out.
  package static var available: UInt64? {
    #if os(Linux)
      [field("MemAvailable:"), availableInGroup].compactMap { $0 }.min()
    #else
      // What is in use is mostly cache and compressible; a quarter is left to the rest of the system.
      total.map { $0 / 4 * 3 }
    #endif
  }

  /// Bytes that could be had if nothing else ran.
  package static var total: UInt64? {
    #if os(Linux)
      [field("MemTotal:"), groupNumber("memory.max")].compactMap { $0 }.min()
    #else
      var size: UInt64 = 0
      var length = MemoryLayout<UInt64>.size
      guard unsafe sysctlbyname("hw.memsize", &size, &length, nil, 0) == 0 else { return nil }
      return size
    #endif
  }

  #if os(Linux)
    private static func field(_ name: String) -> UInt64? {
      KernelFile.lines(of: "/proc/meminfo").first { $0.hasPrefix(name) }.flatMap(firstNumber).map { $0 * 1024 }
    }

    /// What the control group (a container, a service with a limit) leaves. Cached files can be dropped, so they
    /// count as free.
    private static var availableInGroup: UInt64? {
      guard let limit = groupNumber("memory.max"), let used = groupNumber("memory.current") else { return nil }
      let cached = KernelFile.lines(of: group + "memory.stat").filter {
        $0.hasPrefix("inactive_file ") || $0.hasPrefix("active_file ")
      }.compactMap(firstNumber).reduce(0, +)
      let held = used > cached ? used - cached : 0
      return limit > held ? limit - held : 0
    }

    private static let group = "/sys/fs/cgroup/"

    private static func groupNumber(_ name: String) -> UInt64? {
      KernelFile.lines(of: group + name).first.flatMap(firstNumber)
    }

    private static func firstNumber(in line: Substring) -> UInt64? {
      UInt64(line.drop { !$0.isNumber }.prefix(while: \.isNumber))
    }
  #endif
}

/// Small files of the kernel's.
package enum KernelFile {
  /// Its lines; none when it cannot be read.
  package static func lines(of path: String) -> [Substring] {
    guard let file = try? BoundedFileReader(path: path) else { return [] }
    return String(decoding: file.descriptor.read(at: 0, count: 1 << 16), as: UTF8.self).split(separator: "\n")
  }
}
