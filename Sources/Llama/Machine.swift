#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the machine gives this process.
enum Machine {
  /// Processors this process may run on, at least 1.
  static var processors: Int {
    let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #if os(Linux)
      return max(1, min(online, allowedProcessors ?? online, processorQuota ?? online))
    #else
      return online
    #endif
  }

  /// Bytes of memory that can be had without pushing other programs out; nil when the system does not tell.
  static var availableMemory: UInt64? {
    #if os(Linux)
      let free = lines(of: "/proc/meminfo").first { $0.hasPrefix("MemAvailable:") }.flatMap(firstNumber).map {
        $0 * 1024
      }
      return [free, availableInGroup].compactMap { $0 }.min()
    #else
      var size: UInt64 = 0
      var length = MemoryLayout<UInt64>.size
      guard unsafe sysctlbyname("hw.memsize", &size, &length, nil, 0) == 0 else { return nil }
      // What is in use is mostly cache and compressible; a quarter is left to the rest of the system.
      return size / 4 * 3
    #endif
  }

  #if os(Linux)
    /// Processors in this process's affinity mask.
    private static var allowedProcessors: Int? {
      let line = lines(of: "/proc/self/status").first { $0.hasPrefix("Cpus_allowed:") }
      return line.map { $0.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) } }
    }

    /// Processors' worth of time that the control group allows, rounded up; nil without a limit.
    private static var processorQuota: Int? {
      let words = lines(of: "/sys/fs/cgroup/cpu.max").first?.split(separator: " ") ?? []
      guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), period > 0 else { return nil }
      return (quota + period - 1) / period
    }

    /// What the control group (a container, a service with a limit) leaves. Cached files can be dropped, so they
    /// count as free.
    private static var availableInGroup: UInt64? {
      let folder = "/sys/fs/cgroup"
      guard let limit = lines(of: "\(folder)/memory.max").first.flatMap(firstNumber),
        let used = lines(of: "\(folder)/memory.current").first.flatMap(firstNumber)
      else { return nil }
      let cached = lines(of: "\(folder)/memory.stat").filter {
        $0.hasPrefix("inactive_file ") || $0.hasPrefix("active_file ")
      }.compactMap(firstNumber).reduce(0, +)
      let held = used > cached ? used - cached : 0
      return limit > held ? limit - held : 0
    }

    /// The lines of a small file of the kernel's.
    private static func lines(of path: String) -> [Substring] {
      guard let file = try? BoundedFileReader(path: path) else { return [] }
      return String(decoding: file.descriptor.read(at: 0, count: 1 << 16), as: UTF8.self).split(separator: "\n")
    }

    private static func firstNumber(in line: Substring) -> UInt64? {
      UInt64(line.drop { !$0.isNumber }.prefix(while: \.isNumber))
    }
  #endif
}
